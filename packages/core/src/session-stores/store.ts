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

/** Maximum size of a session file. */
export const SESSION_FILE_LIMIT = 256 * 1024 * 1024;
/** Maximum size of a file that is parsed as a whole, which needs several times its size in memory. */
export const SESSION_DOCUMENT_LIMIT = 64 * 1024 * 1024;
/** Number of files that are checked together. */
const AT_ONCE = 512;

/** What a codec parses from a file or rows: a session without its agent. */
export type SessionContent = Omit<Session, 'agent'>;

/** Input of a JSON lines parser: the text, or its lines. */
export type SessionLines = string | JsonLines;

/** Pure. Null if it is not a session. `companions`: texts of the companion files, in their order. */
type SessionParser<Content> = (
  content: Content,
  path: string,
  companions: readonly (string | undefined)[],
) => SessionContent | null;

export type SessionFiles = SessionFilesBase &
  (
    | { parse: SessionParser<string>; hasLines?: undefined }
    /** Which of the files are JSON lines; they are read in chunks. */
    | { parse: SessionParser<SessionLines>; hasLines(path: string): boolean }
  );

interface SessionFilesBase {
  agent: string;
  /** As `expandPath` reads it. */
  root: string;
  /** Which files are sessions, by their path below the root, with `/` between folders. */
  accepts(path: string): boolean;
  /** Companion files with more about the session. A change of one of them is a change of the session. */
  companions?(path: string): readonly string[];
  /**
   * Files and folders that belong only to the session and are deleted with it. No `sessionId` if the file is
   * unreadable.
   */
  belongings?(path: string, sessionId: string | undefined): readonly string[];
}

/** A store of one file per session. */
export function sessionFiles(files: SessionFiles): SessionStore {
  const { agent, root, accepts, companions, belongings } = files;
  const roots = new Set<string>();
  const rootIn = (env: NodeJS.ProcessEnv) => {
    const path = expandPath(root, env);
    roots.add(path);
    return path;
  };
  /** A folder that also contains other sessions. */
  const isShared = (path: string) => [...roots].some((each) => `${each}${sep}`.startsWith(`${path}${sep}`));
  const parsed = async (path: string, brief: boolean): Promise<SessionContent | null> => {
    const texts = (companions?.(path) ?? []).map((file) =>
      readSessionText(file, agent, SESSION_FILE_LIMIT).catch(() => undefined),
    );
    const companionTexts = await Promise.all(texts);
    if (!files.hasLines)
      return files.parse(await readSessionText(path, agent, SESSION_DOCUMENT_LIMIT), path, companionTexts);
    const { parse, hasLines } = files;
    if (!hasLines(path)) return parse(await readSessionText(path, agent, SESSION_DOCUMENT_LIMIT), path, companionTexts);
    const lines = await readOrExplain(path, agent, () => readJsonLinesOf(path, { limit: SESSION_FILE_LIMIT, brief }));
    return parse(lines, path, companionTexts);
  };
  const read = async ({ path }: SessionRef, { brief = false } = {}): Promise<Session> => {
    const content = await parsed(path, brief);
    if (!content) throw new AgentMuxError('PARSE_ERROR', `${path} is not a ${agent} session`, { agent });
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

/** The distinct paths of a store's sessions. */
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
    // Several times as fast as the thread pool, and short enough between two turns of the event loop.
    for (const path of paths.slice(at, at + AT_ONCE)) {
      const ref = refOf(path, companions?.(path));
      if (ref) refs.push(ref);
    }
    await turnOfLoop();
  }
  return refs;
}

/** Folder by folder: one that vanishes or is unreadable does not affect the others. */
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
    throw new AgentMuxError('SESSION_NOT_FOUND', `cannot read the session file ${path}: ${reason}`, {
      agent,
      cause,
    });
  }
}
