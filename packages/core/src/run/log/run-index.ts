import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunResult } from '../../contract/run.ts';
import { isMissing, openRegularFile, readRegularFile } from '../../files/regular-file.ts';
import { redactSecrets } from '../../redact/redact.ts';
import { withoutValues } from '../../redact/secrets.ts';
import { isRecord, messageOf } from '../../values.ts';

export const RUN_RECORD_SCHEMA = 'agent-mux.run/1';
export const STATE_FOLDER = '.agent-mux';
/** Maximum bytes of a record. It is written at once, so that concurrent processes do not mix their lines. */
export const RUN_RECORD_LIMIT_BYTES = 4096;
/** Maximum bytes of an index, about a hundred thousand runs. A larger one is neither read nor written. */
export const RUN_INDEX_LIMIT_BYTES = 256 * 1024 * 1024;
/** Maximum characters stored of a text that a caller or an agent chose. */
const TEXT_LIMIT = 300;
const TAG_LIMIT = 16;

/** What is stored about a run: no prompt and no answer. */
export interface RunRecord
  extends Pick<
    RunResult,
    | 'runId'
    | 'agent'
    | 'mode'
    | 'sessionId'
    | 'model'
    | 'usage'
    | 'costUsd'
    | 'costSource'
    | 'durationMs'
    | 'exitReason'
    | 'exitCode'
    | 'error'
    | 'turnCount'
    | 'tags'
  > {
  schema: typeof RUN_RECORD_SCHEMA;
  /** Epoch milliseconds. */
  startedAt: number;
  cwd: string;
}

/** Secrets of the run, which are removed from all texts. */
export function runRecordOf(
  result: RunResult,
  run: { startedAt: number; cwd: string; secrets?: readonly string[] },
): RunRecord {
  const { secrets = [] } = run;
  const clean = (text: string) => cut(withoutValues(text, secrets));
  const { runId, agent, mode, sessionId, model, usage, costUsd, costSource } = result;
  const { durationMs, exitReason, exitCode, error, turnCount, tags } = result;
  return {
    schema: RUN_RECORD_SCHEMA,
    runId,
    agent,
    mode,
    startedAt: run.startedAt,
    durationMs,
    cwd: withoutValues(run.cwd, secrets),
    sessionId: sessionId && clean(sessionId),
    model: model && clean(model),
    exitReason,
    exitCode,
    error: error && { ...error, message: cut(redactSecrets(error.message, secrets)) },
    turnCount,
    usage,
    costUsd,
    costSource,
    tags: tags.slice(0, TAG_LIMIT).map((tag) => redactSecrets(tag, secrets).slice(0, 64)),
  };
}

export function runIndexFile(dir: string): string {
  return join(dir, STATE_FOLDER, 'run-index.jsonl');
}

/** Appends one line to `<dir>/.agent-mux/run-index.jsonl`. Never rejects: a run does not fail because of its record. */
export async function appendRunRecord(dir: string, record: RunRecord): Promise<Error | null> {
  try {
    const line = Buffer.from(`${JSON.stringify(record)}\n`);
    if (line.length > RUN_RECORD_LIMIT_BYTES) {
      return new Error(`a run record has ${line.length} bytes; the limit is ${RUN_RECORD_LIMIT_BYTES}`);
    }
    await createStateFolder(dir);
    await using file = await openForRecords(dir, constants.O_CREAT);
    const { bytesWritten } = await file.write(line);
    if (bytesWritten === line.length) return null;
    // The next record must not continue this partial line.
    await file.write('\n');
    return new Error(`only ${bytesWritten} of ${line.length} bytes of a run record were written`);
  } catch (error) {
    return cannotAddTo(dir, error);
  }
}

/** A repository may contain a link of this name; nothing must be appended to its target. */
async function openForRecords(dir: string, flags: number): Promise<FileHandle> {
  const appending = constants.O_WRONLY | constants.O_APPEND | (constants.O_NOFOLLOW ?? 0);
  const file = await openRegularFile(runIndexFile(dir), appending | flags, 0o600);
  const { size } = await file.stat();
  if (size <= RUN_INDEX_LIMIT_BYTES) return file;
  await file.close();
  throw new Error(`it has ${size} bytes; the limit is ${RUN_INDEX_LIMIT_BYTES}`);
}

function cannotAddTo(dir: string, error: unknown): Error {
  const reason = messageOf(error);
  return new Error(`cannot append to ${runIndexFile(dir)}: ${reason}`, { cause: error });
}

/** All records, oldest first, and the number of invalid lines. Empty without a file. */
export async function readRunIndex(dir: string): Promise<{ records: RunRecord[]; skippedLines: number }> {
  const path = runIndexFile(dir);
  const bytes = await readRegularFile(path, { limit: RUN_INDEX_LIMIT_BYTES }).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    const reason = messageOf(error);
    throw new Error(`cannot read ${path}: ${reason}`, { cause: error });
  });
  const lines = (bytes?.toString('utf8') ?? '').split('\n').filter((line) => line !== '');
  const records = lines.map(parseRecord).filter((record) => record !== undefined);
  return { records, skippedLines: lines.length - records.length };
}

/**
 * Creates the folder for agent-mux's files in a project. Git ignores all of it except the configuration, which is
 * shared.
 */
async function createStateFolder(dir: string): Promise<void> {
  const folder = join(dir, STATE_FOLDER);
  await mkdir(folder).catch((error: unknown) => {
    if (!isRecord(error) || error.code !== 'EEXIST') throw error;
  });
  if ((await lstat(folder)).isSymbolicLink()) throw new Error(`refusing to write to ${folder}: it is a symbolic link`);
  await writeFile(join(folder, '.gitignore'), '*\n!config.json\n', { flag: 'wx' }).catch((error: unknown) => {
    if (!isRecord(error) || error.code !== 'EEXIST') throw error;
  });
}

function parseRecord(line: string): RunRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRunRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRunRecord(value: unknown): value is RunRecord {
  return isRecord(value) && value.schema === RUN_RECORD_SCHEMA && typeof value.runId === 'string';
}

function cut(text: string): string {
  return text.length > TEXT_LIMIT ? `${text.slice(0, TEXT_LIMIT)}…` : text;
}
