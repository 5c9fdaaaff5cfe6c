import { statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { sep } from 'node:path';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { AgentMuxError } from '../contract/errors.ts';
import type { Session, SessionRef, SessionStore } from '../contract/sessions.ts';
import { expandPath } from '../files/paths.ts';
import { readRegularFile } from '../files/regular-file.ts';
import { messageOf } from '../values.ts';
import { type JsonLines, readJsonLinesOf } from './json-lines.ts';

/** A session file above this size is not read: no conversation is so long. */
export const SESSION_FILE_LIMIT = 256 * 1024 * 1024;
/** One that is not read line by line, and so is several times in memory as a whole. */
export const SESSION_DOCUMENT_LIMIT = 64 * 1024 * 1024;
/** Files that are looked at together. */
const AT_ONCE = 512;

/** What a codec makes of a file or of rows: all but whose it is. */
export type SessionContent = Omit<Session, 'agent'>;

/** What a file of JSON lines is given as: its text, or what was read of it line by line. */
export type SessionLines = string | JsonLines;

/** Pure. Null: not a session. `beside`: what its companions say, in their order. */
type SessionParser<Content> = (
  content: Content,
  path: string,
  beside: readonly (string | undefined)[],
) => SessionContent | null;

export type SessionFiles = SessionFilesBase &
  (
    | { parse: SessionParser<string>; hasLines?: undefined }
    /** Which of the files hold JSON lines; they are read piece by piece. */
    | { parse: SessionParser<SessionLines>; hasLines(path: string): boolean }
  );

interface SessionFilesBase {
  agent: string;
  /** As `expandPath` reads it. */
  root: string;
  /** Which files are sessions, by their path below the root, with `/` between folders. */
  accepts(path: string): boolean;
  /** Files that say more about the session. A change of one of them is a change of the session. */
  companions?(path: string): readonly string[];
  /** Files and folders that belong to the session alone and go with it. Without `sessionId` where the file cannot be read. */
  belongings?(path: string, sessionId: string | undefined): readonly string[];
}

/** A store of one file for each session. */
export function sessionFiles(files: SessionFiles): SessionStore {
  const { agent, root, accepts, companions, belongings } = files;
  const roots = new Set<string>();
  const rootIn = (env: NodeJS.ProcessEnv) => {
    const path = expandPath(root, env);
    roots.add(path);
    return path;
  };
  /** A folder that holds the sessions of others too. */
  const isShared = (path: string) => [...roots].some((each) => `${each}${sep}`.startsWith(`${path}${sep}`));
  const parsed = async (path: string, brief: boolean): Promise<SessionContent | null> => {
    const texts = (companions?.(path) ?? []).map((file) =>
      readSessionText(file, agent, SESSION_FILE_LIMIT).catch(() => undefined),
    );
    const beside = await Promise.all(texts);
    if (!files.hasLines) return files.parse(await readSessionText(path, agent, SESSION_DOCUMENT_LIMIT), path, beside);
    const { parse, hasLines } = files;
    if (!hasLines(path)) return parse(await readSessionText(path, agent, SESSION_DOCUMENT_LIMIT), path, beside);
    const lines = await readOrExplain(path, agent, () => readJsonLinesOf(path, { limit: SESSION_FILE_LIMIT, brief }));
    return parse(lines, path, beside);
  };
  const read = async ({ path }: SessionRef, { brief = false } = {}): Promise<Session> => {
    const content = await parsed(path, brief);
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
      for (const own of [ref.path, ...owned]) if (!isShared(own)) await rm(own, { recursive: true, force: true });
    },
  };
}

/** The paths of a store's sessions, each once. */
export async function listSessionPaths(store: SessionStore, cwd?: string): Promise<string[]> {
  const refs = await store.find(process.env);
  const wanted = cwd === undefined ? refs : await keepOfFolder(store, refs, cwd);
  return [...new Set(wanted.map(({ path }) => path))].sort();
}

async function keepOfFolder(store: SessionStore, refs: readonly SessionRef[], cwd: string): Promise<SessionRef[]> {
  const found: SessionRef[] = [];
  for (const ref of refs) {
    const session = await store.read(ref).catch(() => undefined);
    if (session?.cwd === cwd) found.push(ref);
  }
  return found;
}

async function findFiles(
  root: string,
  accepts: SessionFilesBase['accepts'],
  companions: SessionFilesBase['companions'],
): Promise<SessionRef[]> {
  const paths = (await listFilesBelow(root)).filter((path) => {
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
async function listFilesBelow(root: string): Promise<string[]> {
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

async function readSessionText(path: string, agent: string, limit: number): Promise<string> {
  return readOrExplain(path, agent, async () => (await readRegularFile(path, { limit })).toString('utf8'));
}

async function readOrExplain<Content>(path: string, agent: string, read: () => Promise<Content>): Promise<Content> {
  try {
    return await read();
  } catch (cause) {
    const reason = messageOf(cause);
    throw new AgentMuxError('SESSION_NOT_FOUND', `The session file ${path} cannot be read: ${reason}`, {
      agent,
      cause,
    });
  }
}
