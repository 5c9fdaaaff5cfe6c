import type { ConfigFormat } from '../contract/auth-and-config.ts';
import { AgentMuxError } from '../contract/errors.ts';
import { withFileLock } from '../files/file-lock.ts';
import { resolveRealFile } from '../files/real-file.ts';
import { ignoreMissing, readRegularFile } from '../files/regular-file.ts';
import { removeFile, replaceFile } from '../files/replace-file.ts';
import { asStorageError } from '../files/storage-failure.ts';
import { isWithin } from '../files/within.ts';
import { isRecord, messageOf } from '../values.ts';
import { backUpOriginal } from './backup.ts';
import { editChecked } from './changes.ts';
import { type ConfigChange, type ConfigCodec, ConfigSyntaxError, codecOf, NATIVE_FILE_LIMITS } from './codecs.ts';

/** Maximum attempts if the agent keeps writing its own file. */
const MAX_ATTEMPTS = 20;

export interface TextFile {
  agent: string;
  path: string;
  /** Undefined for free text. */
  format?: ConfigFormat;
  /** The project, for its files: the real target must be inside it. */
  within?: string;
}

export interface NativeFile extends TextFile {
  format: ConfigFormat;
}

interface EditOptions {
  env?: NodeJS.ProcessEnv;
  dryRun?: boolean;
  /** Mode of a new file. Default: private. */
  mode?: number;
}

/** Content of a file before and after; undefined if it does not exist. */
export interface TextEdit {
  /** The path with all links resolved. */
  file: string;
  before: string | undefined;
  after: string | undefined;
  /** Path of the backup, if this was the first change. */
  backup?: string;
}

export interface FileEdit {
  /** The written file, with all links resolved. */
  file: string;
  changed: boolean;
  created: boolean;
  /** Path of the backup, if this was the first change. */
  backup?: string;
}

/** The content of a file, or undefined if it does not exist. Throws CONFIG_ERROR with the position of a problem. */
export async function readNativeFile(file: NativeFile): Promise<{ text: string; content: unknown } | undefined> {
  const bytes = await runOrRefuse(file, () => readBytes(file, file.path));
  if (bytes === undefined) return undefined;
  const text = textOf(file, bytes);
  const codec = await codecOf(file.format);
  return { text, content: await runOrRefuse(file, async () => parseText(codec, text)) };
}

/**
 * Changes a file and keeps everything else. `decide` gets the current content and may be called again if another
 * process has changed it meanwhile.
 */
export async function editNativeFile(
  file: NativeFile,
  decide: (content: unknown) => readonly ConfigChange[],
  options: EditOptions = {},
): Promise<FileEdit> {
  const codec = await codecOf(file.format);
  const edit = await editTextFile(
    file,
    (text = '') => {
      const changes = decide(parseText(codec, text));
      return changes.length === 0 ? text : editChecked(codec, text, changes);
    },
    options,
  );
  const { file: target, before, after, backup } = edit;
  const changed = (after ?? '') !== (before ?? '');
  const done = { file: target, changed, created: before === undefined && changed };
  return backup === undefined ? done : { ...done, backup };
}

/**
 * The same for any text: the result of `decide` replaces the content, undefined deletes the file, and an empty text
 * creates no file. Its exceptions are reported with the file name.
 */
export async function editTextFile(
  file: TextFile,
  decide: (text: string | undefined) => string | undefined,
  options: EditOptions = {},
): Promise<TextEdit> {
  const { env = process.env, dryRun = false, mode } = options;
  const target = await runOrRefuse(file, () => resolveRealFile(file.path));
  if (file.within !== undefined) await assertWithin(file, file.within, target);
  const attempt = async (): Promise<TextEdit | undefined> => {
    const bytes = await runOrRefuse(file, () => readBytes(file, target));
    const before = bytes && textOf(file, bytes);
    const decided = await runOrRefuse(file, async () => decide(before));
    const after = before === undefined && decided === '' ? undefined : decided;
    const done = { file: target, before, after };
    if (after === before || dryRun) return done;
    return runOrRefuse(file, async () => {
      const backup = bytes && (await backUpOriginal(target, bytes, env));
      const replaced =
        after === undefined
          ? await removeFile(target, { before: bytes, limit: NATIVE_FILE_LIMITS.json })
          : await replaceFile(target, { before: bytes, text: after, limit: NATIVE_FILE_LIMITS.json, mode });
      if (!replaced) return undefined;
      return backup === undefined ? done : { ...done, backup };
    });
  };
  const insist = async () => {
    for (let tries = 0; tries < MAX_ATTEMPTS; tries += 1) {
      const done = await attempt();
      if (done) return done;
    }
    throw refusal(file, 'the file keeps changing', { hint: 'try again', retryable: true });
  };
  return dryRun ? insist() : withFileLock(target, env, insist);
}

/** Undefined if it does not exist. */
function readBytes({ format }: TextFile, path: string): Promise<Buffer | undefined> {
  return readRegularFile(path, { limit: NATIVE_FILE_LIMITS[format ?? 'toml'] }).catch(ignoreMissing);
}

function textOf(file: TextFile, bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(bytes)) throw refusal(file, 'it is not valid UTF-8');
  return text;
}

/** The content without the byte order mark, which `editChecked` keeps. */
export function parseText(codec: ConfigCodec, text: string): unknown {
  return codec.parse(text.replace(/^\uFEFF/, ''));
}

/** A project may come from anyone, so a link in it must not select other files of this machine to write. */
async function assertWithin(file: TextFile, project: string, target: string): Promise<void> {
  const root = await runOrRefuse(file, () => resolveRealFile(project));
  if (target !== root && isWithin(root, target)) return;
  const hint = `to change it anyway, edit ${target} directly`;
  throw refusal(file, `it leads out of the project, to ${target}`, { hint });
}

async function runOrRefuse<Result>(file: TextFile, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw refusalOf(file, cause);
  }
}

function refusalOf(file: TextFile, cause: unknown): AgentMuxError {
  if (cause instanceof AgentMuxError) return cause;
  if (cause instanceof ConfigSyntaxError) {
    const { line, column } = cause.position;
    const where = { file: file.path, line, column };
    const hint = 'fix the file first; nothing was changed';
    const message = `${file.path}:${line}:${column}: ${cause.message}`;
    return new AgentMuxError('CONFIG_ERROR', message, { agent: file.agent, hint, data: where });
  }
  const code = isRecord(cause) && typeof cause.code === 'string' ? cause.code : undefined;
  // A file that the user may not access is a configuration error; everything else is a failure of the machine.
  const failure = code !== undefined && REASONS[code] !== undefined ? undefined : asStorageError(cause, file.path);
  return failure ?? refusal(file, code === undefined ? messageOf(cause) : (REASONS[code] ?? code), { cause });
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'no permission',
  EPERM: 'no permission',
  EISDIR: 'it is a folder',
  ELOOP: 'too many links',
};

function refusal(
  { agent, path }: TextFile,
  reason: string,
  details: { hint?: string; retryable?: boolean; cause?: unknown } = {},
): AgentMuxError {
  return new AgentMuxError('CONFIG_ERROR', `${path}: ${reason}`, { agent, ...details, data: { file: path } });
}
