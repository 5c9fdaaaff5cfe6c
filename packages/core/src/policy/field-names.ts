import type { ToolKind } from '../contract/tool-kinds.ts';

/**
 * Meanings of the fields of a tool's input, by the names that agents use. A name not listed here requests something
 * more.
 */

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

/** For requests of any kind. */
export const SUBJECTS: ReadonlySet<string> = new Set(['resource', 'patterns']);

/** Working directory of a command. */
export const FOLDERS: ReadonlySet<string> = new Set([
  'cwd',
  'dir_path',
  'directory',
  'workdir',
  'workingDirectory',
  'working_directory',
]);

/** Descriptions of the request, and options that only apply to answers that are never given ("always"). */
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

/** Content that an edit would write. */
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

/** Options of a tool of this kind that do not change what it can reach. */
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

/** Verbs of editing tools. */
const EDITOR_VERBS: ReadonlySet<string> = new Set(['create', 'insert', 'str_replace', 'undo_edit', 'view', 'write']);

/** Search terms; a path would name a location instead. */
const SEARCH_TEXTS: ReadonlySet<string> = new Set(['glob', 'include', 'pattern']);

const DESCRIPTIONS: ReadonlySet<string> = new Set(ABOUT);

export function isAboutRequest(name: string): boolean {
  return DESCRIPTIONS.has(name);
}

export function isContent(name: string): boolean {
  return CONTENTS.has(name);
}

export function isHarmless(name: string, value: unknown, kind: ToolKind): boolean {
  if (DESCRIPTIONS.has(name) || (Object.hasOwn(ONLY_AS, name) && ONLY_AS[name] === value)) return true;
  if (name === 'command' && kind !== 'execute') return typeof value === 'string' && EDITOR_VERBS.has(value);
  if (kind === 'search' && SEARCH_TEXTS.has(name))
    return typeof value === 'string' && !/^[/~\\]|\.\.|^[A-Za-z]:/.test(value);
  const changes = kind === 'delete' || kind === 'move';
  return (USED_WITH[changes ? 'edit' : kind] ?? []).includes(name);
}
