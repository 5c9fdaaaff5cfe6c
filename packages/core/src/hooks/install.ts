import { lstat, rmdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { AgentMuxError } from '../contract/errors.ts';
import type { HookFileStatus, HookSpec } from '../contract/hooks.ts';
import { resolveRealFile } from '../files/real-file.ts';
import { ignoreMissing } from '../files/regular-file.ts';
import { findRepositoryOfFile, type GitLocation } from '../git/locate.ts';
import { editTextFile, type TextEdit, type TextFile } from '../native-config/edit-file.ts';
import { messageOf } from '../values.ts';
import { type HookEdit, hookEditsOf } from './edits.ts';
import { ignoreFiles, isIgnored, isTracked } from './git.ts';
import {
  alone,
  dropRecords,
  type FileRecord,
  type FileRecords,
  hashOf,
  readRecords,
  register,
  writeRecords,
} from './records.ts';

/** The hooks of one agent in one workspace. */
export interface HookTarget {
  agent: string;
  spec: HookSpec;
  /** Real path of the workspace. */
  workspace: string;
  env: NodeJS.ProcessEnv;
}

/** Adds our hooks to the existing files. True: some file changed. All edits are validated before the first write. */
export async function installHooks(target: HookTarget): Promise<boolean> {
  const edits = await editsFor(target);
  return alone(target.env, async () => {
    const old = await readRecords(target.workspace, target.agent, target.env);
    const tried = await inTurn(edits, (edit) => put(target, edit, true));
    const plans = edits.map((edit, at) => ({
      edit,
      tried: tried[at]!,
      was: wasBefore(edit, tried[at]!, old[edit.path]),
    }));
    // Git excludes come first: a file that cannot be ignored is not written.
    const made = plans.filter(({ was }) => was === null).map(({ tried: { file } }) => file);
    await ignoreOwn(
      target,
      made,
      tried.map(({ file }) => file),
    );
    const records: FileRecords = {};
    let changed = false;
    for (const {
      edit,
      tried: { file },
    } of plans) {
      const folders = await missingFolders(target.workspace, file);
      const done = await put(target, edit, false);
      changed ||= done.before !== done.after;
      records[edit.path] = recordOf(edit, done, old[edit.path], folders);
    }
    await writeRecords(target.workspace, target.agent, records, target.env);
    await register(target.workspace, target.agent, true, target.env);
    return changed;
  });
}

/** Removes our hooks. Files without later changes are restored byte by byte. */
export async function uninstallHooks(target: HookTarget): Promise<boolean> {
  const edits = await editsFor(target);
  const { workspace, agent, env } = target;
  return alone(env, async () => {
    const records = await readRecords(workspace, agent, env);
    await inTurn(edits, (edit) => take(target, edit, records[edit.path], true));
    const done = await inTurn(edits, (edit) => take(target, edit, records[edit.path], false));
    await removeEmpty(Object.values(records).flatMap(({ folders }) => folders));
    await ignoreOwn(
      target,
      [],
      done.map(({ file }) => file),
    );
    await dropRecords(workspace, agent, env);
    await register(workspace, agent, false, env);
    return done.some(({ before, after }) => before !== after);
  });
}

/** Checks each file without writing. */
export async function hookStates(target: HookTarget): Promise<HookFileStatus[]> {
  const edits = await editsFor(target);
  return inTurn(edits, async (edit) => {
    const path = await resolveRealFile(join(target.workspace, edit.path)).catch(() =>
      join(target.workspace, edit.path),
    );
    try {
      const { before, after, file } = await put(target, edit, true);
      const state =
        before === undefined ? 'absent' : before === after ? 'installed' : edit.has(before) ? 'outdated' : 'absent';
      return { path: file, state, git: before === undefined ? null : await gitOf(file) };
    } catch (error) {
      const isForeign = error instanceof AgentMuxError && error.data?.foreign === true;
      return {
        path,
        state: isForeign ? 'foreign' : 'broken',
        problem: messageOf(error),
        git: await gitOf(path),
      };
    }
  });
}

/** Adapters are untrusted: their hook files must be inside the workspace. */
async function editsFor({ agent, spec }: HookTarget): Promise<HookEdit[]> {
  const edits = await hookEditsOf(agent, spec);
  const odd = edits.find(
    ({ path }) => isAbsolute(path) || path.split(/[\\/]/).some((part) => part === '..' || part === ''),
  );
  if (!odd) return edits;
  throw new AgentMuxError(
    'ADAPTER_ERROR',
    `the adapter "${agent}" has a hook file outside the workspace: ${odd.path}`,
    {
      agent,
      hint: 'this is a bug in the adapter: report it to its author',
    },
  );
}

function put(target: HookTarget, edit: HookEdit, dryRun: boolean): Promise<TextEdit> {
  const { env } = target;
  return editTextFile(fileOf(target, edit), (text) => edit.put(text), { env, dryRun, mode: edit.mode });
}

function take(target: HookTarget, edit: HookEdit, record: FileRecord | undefined, dryRun: boolean): Promise<TextEdit> {
  const { env } = target;
  return editTextFile(fileOf(target, edit), (text) => (text === undefined ? undefined : without(edit, text, record)), {
    env,
    dryRun,
  });
}

function fileOf({ agent, workspace }: HookTarget, { path, format }: HookEdit): TextFile {
  return { agent, path: join(workspace, path), within: workspace, ...(format ? { format } : {}) };
}

function without(edit: HookEdit, text: string, record: FileRecord | undefined): string | undefined {
  if (record?.after === hashOf(text)) return record.before ?? undefined;
  return edit.has(text) ? edit.take(text, record?.before) : text;
}

/** The file without our hooks; null: no file. */
function wasBefore(edit: HookEdit, { before }: TextEdit, record: FileRecord | undefined): string | null {
  return before === undefined ? null : (without(edit, before, record) ?? null);
}

function recordOf(edit: HookEdit, done: TextEdit, old: FileRecord | undefined, folders: string[]): FileRecord {
  return {
    before: wasBefore(edit, done, old),
    after: hashOf(done.after ?? ''),
    folders: [...folders, ...(old?.folders ?? [])],
  };
}

/** Updates the git excludes to all files we created. Tracked files stay visible to git anyway. */
async function ignoreOwn(target: HookTarget, made: readonly string[], all: readonly string[]): Promise<void> {
  const byFolder = new Map<string, { repository: GitLocation; own: string[] }>();
  for (const file of all) {
    const repository = await findRepositoryOfFile(file);
    if (!repository) continue;
    const known = byFolder.get(repository.top) ?? { repository, own: [] };
    byFolder.set(repository.top, known);
    if (made.includes(file) && !(await isTracked(repository, file))) known.own.push(file);
  }
  const { agent, workspace } = target;
  for (const { repository, own } of byFolder.values())
    await ignoreFiles(repository, { agent, workspace, files: own }, target.env);
}

async function gitOf(file: string): Promise<HookFileStatus['git']> {
  const repository = await findRepositoryOfFile(file);
  if (!repository) return null;
  if (await isTracked(repository, file)) return 'tracked';
  return (await isIgnored(repository, file)) ? 'ignored' : 'yours';
}

/** Missing folders between the workspace and the file, the innermost first. */
async function missingFolders(workspace: string, file: string): Promise<string[]> {
  const missing: string[] = [];
  const parts = relative(workspace, dirname(file))
    .split(sep)
    .filter((part) => part !== '');
  for (let length = parts.length; length > 0; length -= 1) {
    const folder = join(workspace, ...parts.slice(0, length));
    if (await lstat(folder).catch(ignoreMissing)) break;
    missing.push(folder);
  }
  return missing;
}

/** Removes empty folders only; folders with other content are kept. */
async function removeEmpty(folders: readonly string[]): Promise<void> {
  const inwards = [...new Set(folders)].toSorted((a, b) => b.length - a.length);
  for (const folder of inwards) await rmdir(folder).catch(() => {});
}

async function inTurn<Each, Result>(all: readonly Each[], work: (each: Each) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const each of all) results.push(await work(each));
  return results;
}
