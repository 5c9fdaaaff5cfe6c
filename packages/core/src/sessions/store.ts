import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { AgentMuxError } from '../contract/errors.ts';
import type { Session, SessionRef, SessionStore } from '../contract/sessions.ts';
import { expandPath } from '../surroundings/paths.ts';
import { isRecord } from '../values.ts';

/** A session file above this size is not read: no conversation is so long, and a string has its limits. */
export const SESSION_FILE_LIMIT = 256 * 1024 * 1024;
/** Files that are looked at together. */
const AT_ONCE = 64;

/** What a codec makes of a file or of rows: all but whose it is. */
export type SessionContent = Omit<Session, 'agent'>;

export interface SessionFiles {
  agent: string;
  /** As `expandPath` reads it. */
  root: string;
  /** Which files are sessions, by their path below the root, with `/` between folders. */
  accepts(path: string): boolean;
  /** Pure. Null: not a session. */
  parse(text: string, path: string): SessionContent | null;
  /** Files and folders that belong to the session alone and go with it. */
  belongings?(path: string): readonly string[];
}

/** A store of one file for each session. */
export function sessionFiles({ agent, root, accepts, parse, belongings }: SessionFiles): SessionStore {
  const rootIn = (env: NodeJS.ProcessEnv) => expandPath(root, env);
  return {
    root: rootIn,
    find: (env) => findFiles(rootIn(env), accepts),
    async read({ path }) {
      const content = parse(await readSessionText(path, agent), path);
      if (!content) throw new AgentMuxError('PARSE_ERROR', `${path} is no session of ${agent}`, { agent });
      return { agent, ...content };
    },
    async remove({ path }) {
      for (const own of [path, ...(belongings?.(path) ?? [])]) await rm(own, { recursive: true, force: true });
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

async function findFiles(root: string, accepts: (path: string) => boolean): Promise<SessionRef[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => accepts(relative(root, path).split(sep).join('/')));
  const refs: SessionRef[] = [];
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const found = await Promise.all(paths.slice(at, at + AT_ONCE).map(refOf));
    refs.push(...found.filter((ref) => ref !== undefined));
  }
  return refs;
}

async function refOf(path: string): Promise<SessionRef | undefined> {
  // It may have been deleted since the folder was read.
  const file = await stat(path).catch(() => undefined);
  return file && { path, stamp: `${file.size}:${file.mtimeMs}` };
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
