import { extname } from 'node:path';
import type { ConfigFormat } from '../contract/auth-and-config.ts';
import { AgentMuxError } from '../contract/errors.ts';
import { HOOK_FILE_MARKER, type HookEvent, type HookFile, type HookSpec, hookGroup } from '../contract/hooks.ts';
import { editChecked } from '../native-config/changes.ts';
import { type ConfigCodec, ConfigSyntaxError, codecOf } from '../native-config/codecs.ts';
import { parseText } from '../native-config/edit-file.ts';
import { type BlockMarks, insertBlock, readBlock, removeBlock } from './block.ts';
import { HookShapeError, type HookTable, hasOwn, mergeChanges, unmergeChanges } from './merge.ts';
import { hookCommand } from './ownership.ts';

/** Adds and removes our hooks in one file of a workspace. Pure: text in, text out. */
export interface HookEdit {
  /** Relative to the workspace. */
  path: string;
  format?: ConfigFormat;
  /** Mode of a created file. */
  mode?: number;
  /** Throws if the file is broken or not created by agent-mux. */
  put(text: string | undefined): string;
  /**
   * The text without our hooks; undefined: nothing is left. `before`, if known: the text before installation, null if
   * the file did not exist.
   */
  take(text: string, before?: string | null): string | undefined;
  /** Whether the text contains our hooks. */
  has(text: string): boolean;
}

const FORMATS = {
  'json-groups': 'json',
  'json-flat': 'json',
  'toml-groups': 'toml',
  'yaml-list': 'yaml',
} as const satisfies Record<string, ConfigFormat>;

/** Edits for all hook files of an agent. */
export async function hookEditsOf(agent: string, { file, events }: HookSpec): Promise<HookEdit[]> {
  const commandOf = (event: string) => hookCommand(agent, event);
  switch (file.shape) {
    case 'markdown-block':
      return [blockEdit(file.path, markdownMarks(agent), file.text(commandOf))];
    case 'plugin':
      return [wholeEdit(agent, file.path, file.text(agent))];
    case 'scripts':
      return events.map((event) =>
        wholeEdit(agent, `${file.folder}/${file.fileOf(event)}`, file.text(commandOf(event.name)), 0o755),
      );
    default: {
      const format = FORMATS[file.shape];
      return [tableEdit(file.path, format, await codecOf(format), tableOf(agent, file, events))];
    }
  }
}

type TableFile = Extract<HookFile, { under: readonly string[] }>;

function tableOf(agent: string, file: TableFile, events: readonly HookEvent[]): HookTable {
  return {
    agent,
    under: file.under,
    grouped: file.shape === 'json-groups' || file.shape === 'toml-groups',
    wanted: events.map((event) => ({ event: event.name, entry: entryOf(file, event, hookCommand(agent, event.name)) })),
    fixed: 'fixed' in file ? (file.fixed ?? {}) : {},
  };
}

function entryOf(file: TableFile, event: HookEvent, command: string): Record<string, unknown> {
  if ('entry' in file) return file.entry(command, event);
  return hookGroup(command, event, 'timeout' in file ? file.timeout : undefined);
}

function tableEdit(path: string, format: ConfigFormat, codec: ConfigCodec, table: HookTable): HookEdit {
  const inText = <Result>(text: string, work: (content: unknown) => Result): Result => {
    try {
      return work(parseText(codec, text));
    } catch (error) {
      if (!(error instanceof HookShapeError)) throw error;
      throw new ConfigSyntaxError(error.message, codec.locate(text, error.path));
    }
  };
  return {
    path,
    format,
    put: (text = '') =>
      inText(text, (content) => {
        const changes = mergeChanges(table, content);
        return changes.length === 0 ? text : editChecked(codec, text, changes);
      }),
    take: (text, before) =>
      inText(text, (content) => {
        const old = before === undefined || before === null ? undefined : parseText(codec, before);
        const changes = unmergeChanges(table, content, old);
        const left = changes.length === 0 ? text : editChecked(codec, text, changes);
        return typeof before !== 'string' && isNothing(left) ? undefined : left;
      }),
    has: (text) => inText(text, (content) => hasOwn(table, content)),
  };
}

/** Comments count as content. */
function isNothing(text: string): boolean {
  return ['', '{}'].includes(text.replaceAll(/\s/g, ''));
}

function blockEdit(path: string, marks: BlockMarks, content: string): HookEdit {
  const body = content === '' || content.endsWith('\n') ? content : `${content}\n`;
  return {
    path,
    put: (text) => insertBlock(text, marks, body),
    take: (text) => removeBlock(text, marks),
    has: (text) => readBlock(text, marks) !== undefined,
  };
}

function markdownMarks(agent: string): BlockMarks {
  return {
    begin: (note) => `<!-- amux hooks ${agent}: begin${note} -->`,
    end: `<!-- amux hooks ${agent}: end -->`,
  };
}

function wholeEdit(agent: string, path: string, content: string, mode?: number): HookEdit {
  const wanted = withMark(path, content);
  return {
    path,
    ...(mode === undefined ? {} : { mode }),
    put(text) {
      if (text === undefined || text === wanted || hasMark(text)) return wanted;
      throw new AgentMuxError('CONFIG_ERROR', `${path}: refusing to overwrite a file not created by agent-mux`, {
        agent,
        hint: 'move or rename it',
        data: { file: path, foreign: true },
      });
    },
    take: (text) => (hasMark(text) ? undefined : text),
    has: hasMark,
  };
}

function hasMark(text: string): boolean {
  return text.split('\n', 2).some((line) => line.includes(HOOK_FILE_MARKER));
}

/** Inserts the marker after a shebang line. */
function withMark(path: string, text: string): string {
  if (hasMark(text)) return text;
  const comment = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'].includes(extname(path)) ? '//' : '#';
  const mark = `${comment} ${HOOK_FILE_MARKER}; remove it with amux hooks uninstall\n`;
  const first = text.startsWith('#!') ? text.slice(0, text.indexOf('\n') + 1) : '';
  return first + mark + text.slice(first.length);
}
