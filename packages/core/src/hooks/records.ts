import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { AgentMuxError } from '../contract/errors.ts';
import { withFileLock } from '../files/file-lock.ts';
import { ignoreMissing, OWN_FILE_LIMIT, readRegularFile } from '../files/regular-file.ts';
import { replaceFile } from '../files/replace-file.ts';
import { stateFolder } from '../files/state-folder.ts';
import { messageOf } from '../values.ts';

/** Maximum size of a stored original in characters. Above it, uninstalling edits the file and may change its layout. */
const LONGEST_KEPT = 1024 * 1024;

/** State of one file before installation, for restoring it. */
export interface FileRecord {
  /** Null: the file did not exist. */
  before: string | null;
  /** Hash of the text we wrote. A different hash: the file was changed since. */
  after: string;
  /** Folders we created for it, the innermost first. */
  folders: string[];
}

const FileRecordSchema = z.object({
  before: z.string().nullable(),
  after: z.string(),
  folders: z.array(z.string()),
});
const RecordSchema = z.object({
  workspace: z.string(),
  agent: z.string(),
  files: z.record(z.string(), FileRecordSchema),
});
const RegisterSchema = z.object({ workspaces: z.record(z.string(), z.array(z.string())) });

export type FileRecords = Record<string, FileRecord>;

function folderOf(env: NodeJS.ProcessEnv): string {
  return join(stateFolder(env), 'hooks');
}

function registerPath(env: NodeJS.ProcessEnv): string {
  return join(folderOf(env), 'workspaces.json');
}

function recordPath(workspace: string, agent: string, env: NodeJS.ProcessEnv): string {
  const key = createHash('sha256').update(`${agent}\0${workspace}`).digest('hex').slice(0, 32);
  return join(folderOf(env), 'files', `${key}.json`);
}

/** Runs with an exclusive lock on the hook records. */
export function alone<Result>(env: NodeJS.ProcessEnv, work: () => Promise<Result>): Promise<Result> {
  return withFileLock(registerPath(env), env, work);
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Keyed by file path relative to the workspace. An unreadable record is ignored. */
export async function readRecords(workspace: string, agent: string, env: NodeJS.ProcessEnv): Promise<FileRecords> {
  const bytes = await readRegularFile(recordPath(workspace, agent, env), { limit: 16 * LONGEST_KEPT }).catch(
    () => undefined,
  );
  try {
    const found = RecordSchema.parse(JSON.parse(bytes?.toString('utf8') ?? ''));
    return found.workspace === workspace && found.agent === agent ? found.files : {};
  } catch {
    return {};
  }
}

export async function writeRecords(
  workspace: string,
  agent: string,
  files: FileRecords,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const kept = Object.fromEntries(
    Object.entries(files).filter(([, { before }]) => (before?.length ?? 0) <= LONGEST_KEPT),
  );
  await writeOwn(recordPath(workspace, agent, env), { workspace, agent, files: kept });
}

export async function dropRecords(workspace: string, agent: string, env: NodeJS.ProcessEnv): Promise<void> {
  await rm(recordPath(workspace, agent, env), { force: true });
}

/**
 * Registers which workspaces have hooks of which agents; the reporter checks it before reporting. Call within `alone`.
 */
export async function register(
  workspace: string,
  agent: string,
  installed: boolean,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { workspaces } = await readRegister(env);
  const others = (workspaces[workspace] ?? []).filter((each) => each !== agent);
  const agents = installed ? [...others, agent].sort() : others;
  const { [workspace]: _old, ...rest } = workspaces;
  const next = agents.length > 0 ? { ...rest, [workspace]: agents } : rest;
  await writeOwn(registerPath(env), { workspaces: next });
}

async function readRegister(env: NodeJS.ProcessEnv): Promise<z.infer<typeof RegisterSchema>> {
  const path = registerPath(env);
  const bytes = await readRegularFile(path, { limit: OWN_FILE_LIMIT }).catch(ignoreMissing);
  if (bytes === undefined) return { workspaces: {} };
  try {
    return RegisterSchema.parse(JSON.parse(bytes.toString('utf8')));
  } catch (cause) {
    const hint = 'fix it, or move it away and install the hooks again';
    throw new AgentMuxError('CONFIG_ERROR', `${path}: ${messageOf(cause)}`, { hint, data: { file: path }, cause });
  }
}

async function writeOwn(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const before = await readRegularFile(path, { limit: 64 * LONGEST_KEPT }).catch(ignoreMissing);
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (before?.toString('utf8') === text) return;
  await replaceFile(path, { before, text, limit: 64 * LONGEST_KEPT });
}
