import { agentSetups } from '../../verify/index.ts';
import type { Beyond, MessageRow, SessionRow, StoredEvent } from '../oracle/evidence.ts';
import { demoTextOf } from '../plan/demo-script.ts';
import type { MessagePlan, SessionPlan } from '../plan/round-plan.ts';
import { textOf } from '../plan/script.ts';
import { type Address, ApiError, call, isUnreachable } from './api.ts';
import type { Reader } from './reader.ts';
import { waitFor } from './wait.ts';
import type { World } from './world.ts';

/** A session of the round from the driver's point of view. */
export interface DrivenSession {
  plan: SessionPlan;
  /** Id in the daemon; '' until it is created. */
  id: string;
  cwd: string;
  readers: Reader[];
  /** Events that its first reader has seen so far. */
  seen: { texts: number; asks: number; ends: number };
  struck: Set<'keeper' | 'agent'>;
  recoveryMs: number | null;
  faults: string[];
  restores: number;
  /** Why it cannot be restored, as reported. */
  unrecoverable: Beyond | null;
}

export interface RequestRow {
  id: string;
  sessionId: string;
  kind: string;
  state: string;
  event: Record<string, unknown>;
}

/** Time for a daemon to be back. */
const BACK_MS = 30_000;

/** Repeats a request until it is answered: only for idempotent ones. */
export async function askDaemon<T>(world: World, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await waitFor(`${method} ${path} is answered`, BACK_MS, async () => {
    const address: Address | undefined = world.daemon;
    if (!address) return undefined;
    try {
      return { value: await call<T>(address, method, path, body) };
    } catch (error) {
      if (isUnreachable(error)) return undefined;
      throw error;
    }
  });
  return answer.value;
}

/** Idempotent: a daemon may have died between the row and its answer. */
export async function ensureSession(world: World, session: DrivenSession): Promise<void> {
  const { plan } = session;
  const [first] = plan.messages;
  const body = {
    agent: plan.agent,
    prompt: messageText(plan, first!),
    messageId: first!.id,
    cwd: session.cwd,
    tags: [plan.name],
    env: world.runEnv(plan.agent),
    options: { approvalMode: 'prompt', ...modelOption(plan.agent) },
  };
  const row = await waitFor('a session is created', BACK_MS, async () => {
    const address = world.daemon;
    if (!address) return undefined;
    try {
      const { sessions } = await call<{ sessions: (SessionRow & { tags: string[] })[] }>(
        address,
        'GET',
        '/sessions?limit=100',
      );
      return (
        sessions.find(({ tags }) => tags.includes(plan.name)) ??
        (await call<SessionRow>(address, 'POST', '/sessions', body))
      );
    } catch (error) {
      if (isUnreachable(error)) return undefined;
      throw error;
    }
  });
  session.id = row.id;
  // The daemon may have died right after it created the row; the same id again is the same message.
  await sendMessage(world, session, first!);
}

/** An ended session accepts no message until it is restored. */
export async function sendMessage(world: World, { id, plan }: DrivenSession, message: MessagePlan): Promise<boolean> {
  try {
    await askDaemon(world, 'POST', `/sessions/${id}/messages`, { id: message.id, text: messageText(plan, message) });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'SESSION_ENDED') return false;
    throw error;
  }
}

function messageText({ agent }: SessionPlan, message: MessagePlan): string {
  return agent === 'demo' ? demoTextOf(message) : textOf(message);
}

function modelOption(agent: string): { model?: string } {
  const setup = agentSetups[agent];
  return setup ? { model: setup.model.name } : {};
}

export function readRow(world: World, { id }: Pick<DrivenSession, 'id'>): Promise<SessionRow> {
  return askDaemon(world, 'GET', `/sessions/${id}`);
}

export async function readMessages(world: World, { id }: DrivenSession): Promise<MessageRow[]> {
  return (await askDaemon<{ messages: MessageRow[] }>(world, 'GET', `/sessions/${id}/messages`)).messages;
}

export async function readEvents(world: World, { id }: Pick<DrivenSession, 'id'>): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for (let after = -1; ; ) {
    const page = await askDaemon<{ events: StoredEvent[]; lastSeq: number; hasMore: boolean }>(
      world,
      'GET',
      `/sessions/${id}/events?after=${after}`,
    );
    all.push(...page.events);
    if (!page.hasMore) return all;
    after = page.lastSeq;
  }
}
