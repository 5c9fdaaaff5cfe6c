import {
  CapabilityError,
  expandPath,
  type Session,
  type SessionLines,
  type SessionMessage,
  type SessionStore,
  sessionFiles,
} from '@agent-mux/core';
import { number, record, word } from '../../shared/json.ts';
import { CODEX_HOME } from '../home.ts';
import { parseRollout } from './rollout.ts';
import { findFork, findRollout, rolloutId, rolloutMeta } from './rollout-files.ts';

const ROOT = `${CODEX_HOME}/sessions`;
/** Maximum depth of forks of forks to follow. */
const MAX_BASES = 20;

/** `YYYY/MM/DD/rollout-<time>-<thread id>.jsonl` below the root, for all working directories together. */
const FILES = sessionFiles({
  agent: 'codex',
  root: ROOT,
  accepts: (path) => rolloutId(path) !== undefined,
  hasLines: () => true,
  parse: (text: SessionLines) => parseRollout(text),
});

/**
 * A file for each thread. That of a fork has only the messages after it: the earlier ones are in the file of the other
 * thread (0.166). So Codex too refuses to delete a thread that others were forked from. A deleted file disappears from
 * its list as well.
 */
export const SESSION_STORE: SessionStore = {
  root: FILES.root,
  find: FILES.find,
  async read(ref, how) {
    const session = await FILES.read(ref, how);
    if (session.parentSessionId === undefined) return session;
    const { messages, warnings } = await readInherited(ref.path, how);
    return withInherited(session, messages, warnings);
  },
  async remove(ref) {
    const threadId = rolloutId(ref.path) ?? '';
    const all = await FILES.find({ CODEX_HOME: homeOf(ref.path) });
    const fork = await findFork(
      all.map(({ path }) => path).filter((path) => path !== ref.path),
      threadId,
    );
    if (fork !== undefined)
      throw new CapabilityError(
        'codex',
        'sessions',
        `cannot delete session ${threadId}: session ${rolloutId(fork)} was forked from it and needs it`,
        'delete the fork first',
      );
    await FILES.remove?.(ref);
  },
};

function withInherited(session: Session, messages: readonly SessionMessage[], warnings: readonly string[]): Session {
  const all = [...(session.warnings ?? []), ...warnings];
  return { ...session, messages: [...messages, ...session.messages], ...(all.length > 0 ? { warnings: all } : {}) };
}

interface Inherited {
  messages: SessionMessage[];
  warnings: string[];
}

async function readInherited(path: string, how: { brief?: boolean } = {}): Promise<Inherited> {
  const messages: SessionMessage[] = [];
  for (let at = path, bases = 0; bases < MAX_BASES; bases += 1) {
    const base = record((await rolloutMeta(at)).history_base);
    const threadId = word(base.thread_id);
    if (threadId === undefined) break;
    const found = await findRollout(rootOf(path), threadId);
    if (found === undefined) return { messages, warnings: [`the original session ${threadId} is missing`] };
    const before = await readUntil(found, number(base.end_ordinal_exclusive), how);
    // They were paid for there.
    messages.unshift(...before.messages.map(({ usage, ...message }) => message));
    at = found;
  }
  return { messages, warnings: [] };
}

function readUntil(path: string, ordinal: number | undefined, how: { brief?: boolean }): Promise<Session> {
  const upTo = sessionFiles({
    agent: 'codex',
    root: ROOT,
    accepts: () => true,
    hasLines: () => true,
    parse: (text: SessionLines) => parseRollout(text, ordinal),
  });
  return upTo.read({ path, stamp: '' }, how);
}

function homeOf(path: string): string {
  return path.replace(/[/\\](?:archived_)?sessions[/\\](?:\d+[/\\]){0,3}[^/\\]*$/, '');
}

function rootOf(path: string): string {
  return expandPath('sessions', {}, homeOf(path));
}
