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
/** Of a fork of a fork, and so on, so many are followed. */
const MOST_BASES = 20;

/** `YYYY/MM/DD/rollout-<time>-<thread id>.jsonl` below the root, of all working directories together. */
const FILES = sessionFiles({
  agent: 'codex',
  root: ROOT,
  accepts: (path) => rolloutId(path) !== undefined,
  hasLines: () => true,
  parse: (text: SessionLines) => parseRollout(text),
});

/**
 * A file for each thread. That of a fork has but what was said after it: what came before stands in the file of the other
 * thread (0.166). So Codex too refuses to delete a thread that others were forked from. A file that is gone is gone from
 * its list as well.
 */
export const SESSION_STORE: SessionStore = {
  root: FILES.root,
  find: FILES.find,
  async read(ref, how) {
    const session = await FILES.read(ref, how);
    if (session.parentSessionId === undefined) return session;
    const { messages, faults } = await readInherited(ref.path, how);
    return withBeginning(session, messages, faults);
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
        `session ${threadId} stays: session ${rolloutId(fork)} was forked from it, and begins there`,
        'delete the fork first',
      );
    await FILES.remove?.(ref);
  },
};

function withBeginning(session: Session, messages: readonly SessionMessage[], faults: readonly string[]): Session {
  const all = [...(session.faults ?? []), ...faults];
  return { ...session, messages: [...messages, ...session.messages], ...(all.length > 0 ? { faults: all } : {}) };
}

interface Inherited {
  messages: SessionMessage[];
  faults: string[];
}

async function readInherited(path: string, how: { brief?: boolean } = {}): Promise<Inherited> {
  const messages: SessionMessage[] = [];
  for (let at = path, bases = 0; bases < MOST_BASES; bases += 1) {
    const base = record((await rolloutMeta(at)).history_base);
    const threadId = word(base.thread_id);
    if (threadId === undefined) break;
    const found = await findRollout(rootOf(path), threadId);
    if (found === undefined) return { messages, faults: [`session ${threadId}, in which it begins, is not there`] };
    const before = await readUntil(found, number(base.end_ordinal_exclusive), how);
    // They were paid for there.
    messages.unshift(...before.messages.map(({ usage, ...message }) => message));
    at = found;
  }
  return { messages, faults: [] };
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
