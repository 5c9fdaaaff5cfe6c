import type { Message, Session } from '@agent-mux/api/browser';

/** The single step that fixes a failure. */
export type Fix =
  | { kind: 'restore' }
  | { kind: 'send-again'; message: Message }
  | { kind: 'agent'; label: string; href: string };

type Failed = Pick<Session, 'agent' | 'error' | 'isTerminated'>;

/** Missing login and installation come first: without them everything else fails again. */
export function fixFor({ agent, error, isTerminated }: Failed, messages: readonly Message[]): Fix | null {
  const href = `/agents/${encodeURIComponent(agent)}`;
  if (error?.code === 'AUTH_ERROR') return { kind: 'agent', label: 'Log in…', href };
  if (error?.code === 'AGENT_NOT_INSTALLED') return { kind: 'agent', label: 'Install…', href };
  if (isTerminated) return { kind: 'restore' };
  const last = messages.toSorted((a, b) => a.createdAt - b.createdAt).at(-1);
  return last?.state === 'failed' || last?.state === 'unknown' ? { kind: 'send-again', message: last } : null;
}
