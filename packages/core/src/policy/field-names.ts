import type { ToolKind } from '../contract/tool-kinds.ts';

/** What the fields of a tool's input are, by the names that agents give them. A name that is nowhere here asks for something more. */

export const COMMANDS: ReadonlySet<string> = new Set([
  'command',
  'cmd',
  'commandLine',
  'command_line',
  'fullCommand',
  'full_command',
  'shell_command',
  'script',
]);

export const PATHS: ReadonlySet<string> = new Set([
  'absolutePath',
  'absolute_path',
  'blocked_path',
  'dest',
  'destination',
  'destination_path',
  'dir',
  'dir_path',
  'directory',
  'file',
  'filePath',
  'file_path',
  'filepath',
  'files',
  'folder',
  'locations',
  'move_path',
  'newPath',
  'new_path',
  'notebookPath',
  'notebook_path',
  'oldPath',
  'old_path',
  'path',
  'paths',
  'relative_workspace_path',
  'source',
  'source_path',
  'targetFile',
  'target_file',
]);

export const ADDRESSES: ReadonlySet<string> = new Set(['url', 'urls', 'uri', 'uris', 'host', 'hostname', 'domain']);

/** Whatever the request is for. */
export const SUBJECTS: ReadonlySet<string> = new Set(['resource', 'patterns']);

/** Where a command runs. */
export const FOLDERS: ReadonlySet<string> = new Set([
  'cwd',
  'dir_path',
  'directory',
  'workdir',
  'workingDirectory',
  'working_directory',
]);

/** Words about the request, and what is asked for only by an answer that we do not give ("always"). */
const ABOUT: readonly string[] = [
  'always',
  'commandActions',
  'description',
  'explanation',
  'extractedCommands',
  'id',
  'impactLevel',
  'justification',
  'name',
  'permission',
  'proposedExecpolicyAmendment',
  'reason',
  'riskLevel',
  'riskLevelReason',
  'summary',
  'timeout',
  'timeoutMs',
  'timeout_ms',
  'title',
  'toolCallId',
  'type',
];

/** What an edit would write. */
const CONTENTS: ReadonlySet<string> = new Set([
  'content',
  'contents',
  'diff',
  'file_text',
  'insert_text',
  'newContent',
  'newString',
  'newText',
  'new_source',
  'new_str',
  'new_string',
]);

/** What a tool of the kind is used with, and what changes nothing of what it may reach. */
const USED_WITH: Readonly<Partial<Record<ToolKind, readonly string[]>>> = {
  execute: ['background', 'isBackground', 'is_background', 'max_output_tokens', 'run_in_background', 'yield_time_ms'],
  edit: [
    ...CONTENTS,
    'cell_id',
    'cell_type',
    'changes',
    'edit_mode',
    'edits',
    'expected_replacements',
    'insert_line',
    'instruction',
    'kind',
    'line',
    'oldContent',
    'oldString',
    'oldText',
    'old_str',
    'old_string',
    'replaceAll',
    'replace_all',
  ],
  read: [
    'encoding',
    'end_line',
    'limit',
    'line',
    'line_end',
    'line_start',
    'offset',
    'pages',
    'start_line',
    'view_range',
  ],
  search: [
    '-A',
    '-B',
    '-C',
    '-i',
    '-n',
    'case_sensitive',
    'exclude',
    'head_limit',
    'ignore',
    'limit',
    'max_results',
    'multiline',
    'output_mode',
    'query',
    'recursive',
    'regex',
  ],
  fetch: ['format', 'limit', 'max_length', 'num_results', 'prompt', 'q', 'query', 'search_query'],
};

/** Harmless only with this value. */
const ONLY_AS: Readonly<Record<string, string>> = { environmentId: 'local', kind: 'command' };

/** What tools for editing call their own verbs. */
const EDITOR_VERBS: ReadonlySet<string> = new Set(['create', 'insert', 'str_replace', 'undo_edit', 'view', 'write']);

/** What is searched for; as a path it would name where. */
const SEARCH_TEXTS: ReadonlySet<string> = new Set(['glob', 'include', 'pattern']);

const WORDS: ReadonlySet<string> = new Set(ABOUT);

export function isAboutRequest(name: string): boolean {
  return WORDS.has(name);
}

export function isContent(name: string): boolean {
  return CONTENTS.has(name);
}

export function isHarmless(name: string, value: unknown, kind: ToolKind): boolean {
  if (WORDS.has(name) || (Object.hasOwn(ONLY_AS, name) && ONLY_AS[name] === value)) return true;
  if (name === 'command' && kind !== 'execute') return typeof value === 'string' && EDITOR_VERBS.has(value);
  if (kind === 'search' && SEARCH_TEXTS.has(name))
    return typeof value === 'string' && !/^[/~\\]|\.\.|^[A-Za-z]:/.test(value);
  const changes = kind === 'delete' || kind === 'move';
  return (USED_WITH[changes ? 'edit' : kind] ?? []).includes(name);
}
