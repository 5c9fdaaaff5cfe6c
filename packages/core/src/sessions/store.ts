import { statSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { AgentMuxError } from '../contract/errors.ts';
import type { Session, SessionRef, SessionStore } from '../contract/sessions.ts';
import { expandPath } from '../surroundings/paths.ts';
import { isRecord } from '../values.ts';

/** A session file above this size is not read: no conversation is so long, and a string has its limits. */
export const SESSION_FILE_LIMIT = 256 * 1024 * 1024;
/** Files that are looked at together. */
const AT_ONCE = 512;

/** What a codec makes of a file or of rows: all but whose it is. */
export type SessionContent = Omit<Session, 'agent'>;

export interface SessionFiles {
  agent: string;
  /** As `expandPath` reads it. */
  root: string;
  /** Which files are sessions, by their path below the root, with `/` between folders. */
  accepts(path: string): boolean;
  /** Pure. Null: not a session. `beside`: what its companions say, in their order. */
  parse(text: string, path: string, beside: readonly (string | undefined)[]): SessionContent | null;
  /** Files that say more about the session. A change of one of them is a change of the session. */
  companions?(path: string): readonly string[];
  /** Files and folders that belong to the session alone and go with it. Without `sessionId` where the file cannot be read. */
  belongings?(path: string, sessionId: string | undefined): readonly string[];
}

/** A store of one file for each session. */
export function sessionFiles({ agent, root, accepts, parse, companions, belongings }: SessionFiles): SessionStore {
  const rootIn = (env: NodeJS.ProcessEnv) => expandPath(root, env);
  const read = async ({ path }: SessionRef): Promise<Session> => {
    const beside = (companions?.(path) ?? []).map((file) => readSessionText(file, agent).catch(() => undefined));
    const content = parse(await readSessionText(path, agent), path, await Promise.all(beside));
    if (!content) throw new AgentMuxError('PARSE_ERROR', `${path} is no session of ${agent}`, { agent });
    return { agent, ...content };
  };
  return {
    root: rootIn,
    find: (env) => findFiles(rootIn(env), accepts, companions),
    read,
    async remove(ref) {
      const session = belongings && (await read(ref).catch(() => undefined));
      const owned = belongings?.(ref.path, session?.sessionId) ?? [];
      for (const own of [ref.path, ...owned]) await rm(own, { recursive: true, force: true });
    },
  };
}

export interface JsonLines {
  records: Record<string, unknown>[];
  faults: string[];
}

/** The objects of a file of JSON lines. A last line without its end is still being written: no fault. */
export function readJsonLines(text: string): JsonLines {
  const records: Record<string, unknown>[] = [];
  const faults: string[] = [];
  const lines = text.split('\n');
  lines.forEach((line, index) => {
    if (line.trim() === '') return;
    try {
      const value: unknown = JSON.parse(line);
      if (isRecord(value)) records.push(value);
      else faults.push(`line ${index + 1} is no object`);
    } catch {
      if (index < lines.length - 1) faults.push(`line ${index + 1} is not JSON`);
    }
  });
  return { records, faults };
}

/** The paths of a store's sessions, each once. */
export async function sessionPaths(store: SessionStore, cwd?: string): Promise<string[]> {
  const refs = await store.find(process.env);
  const wanted = cwd === undefined ? refs : await ofFolder(store, refs, cwd);
  return [...new Set(wanted.map(({ path }) => path))].sort();
}

async function ofFolder(store: SessionStore, refs: readonly SessionRef[], cwd: string): Promise<SessionRef[]> {
  const found: SessionRef[] = [];
  for (const ref of refs) {
    const session = await store.read(ref).catch(() => undefined);
    if (session?.cwd === cwd) found.push(ref);
  }
  return found;
}

async function findFiles(
  root: string,
  accepts: SessionFiles['accepts'],
  companions: SessionFiles['companions'],
): Promise<SessionRef[]> {
  const paths = (await filesBelow(root)).filter((path) => {
    const below = path.slice(root.length).replace(/^[/\\]+/, '');
    return accepts(sep === '/' ? below : below.replaceAll(sep, '/'));
  });
  const refs: SessionRef[] = [];
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    // Several times as fast as asking through the thread pool, and no longer than a blink between two turns of the loop.
    for (const path of paths.slice(at, at + AT_ONCE)) {
      const ref = refOf(path, companions?.(path));
      if (ref) refs.push(ref);
    }
    await turnOfLoop();
  }
  return refs;
}

/** Folder by folder: one that vanishes or may not be read costs only itself. */
async function filesBelow(root: string): Promise<string[]> {
  const files: string[] = [];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = folder.endsWith(sep) ? folder + entry.name : folder + sep + entry.name;
      if (entry.isFile()) files.push(path);
      else if (entry.isDirectory()) folders.push(path);
    }
  }
  return files;
}

function refOf(path: string, companions: readonly string[] = []): SessionRef | undefined {
  const own = stampOf(path);
  // It may have been deleted since the folder was read.
  return own === undefined ? undefined : { path, stamp: [own, ...companions.map(stampOf)].join(':') };
}

function stampOf(path: string): string | undefined {
  try {
    const file = statSync(path, { throwIfNoEntry: false });
    return file && `${file.size}:${file.mtimeMs}`;
  } catch {
    return undefined;
  }
}

async function readSessionText(path: string, agent: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > SESSION_FILE_LIMIT) throw new Error(`it has ${size} bytes, and ${SESSION_FILE_LIMIT} are the limit`);
    return await readFile(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new AgentMuxError('SESSION_NOT_FOUND', `The session file ${path} cannot be read: ${reason}`, {
      agent,
      cause,
    });
  }
}
