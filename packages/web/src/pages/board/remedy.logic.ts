import type { Message, Session } from '@agent-mux/api/browser';

/** What mends a failure, where that is one step. */
export type Remedy =
  | { kind: 'restore' }
  | { kind: 'send-again'; message: Message }
  | { kind: 'agent'; words: string; href: string };

type Failed = Pick<Session, 'agent' | 'error' | 'isTerminated'>;

/** Who is not logged in or not installed fails again, whatever else is done. */
export function remedyOf({ agent, error, isTerminated }: Failed, messages: readonly Message[]): Remedy | null {
  const href = `/agents/${encodeURIComponent(agent)}`;
  if (error?.code === 'AUTH_ERROR') return { kind: 'agent', words: 'Log in…', href };
  if (error?.code === 'AGENT_NOT_INSTALLED') return { kind: 'agent', words: 'Install it…', href };
  if (isTerminated) return { kind: 'restore' };
  const last = messages.toSorted((a, b) => a.createdAt - b.createdAt).at(-1);
  return last?.state === 'failed' || last?.state === 'unknown' ? { kind: 'send-again', message: last } : null;
}
