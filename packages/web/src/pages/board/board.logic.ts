import type { Session } from '@agent-mux/api/browser';
import { type State, stateOf } from '../../data/session-state.logic.ts';

export interface Filter {
  text: string;
  agent: string;
}

/** What is not waiting for anybody, by state. Pinned ones first, then those that moved last. */
export type Groups = Readonly<Record<Exclude<State, 'waiting'>, readonly Session[]>>;

export function groupSessions(sessions: Iterable<Session>, filter: Filter): Groups {
  const groups: Record<State, Session[]> = { waiting: [], working: [], limited: [], done: [], failed: [] };
  for (const session of sessions) if (fits(session, filter)) groups[stateOf(session)].push(session);
  for (const group of Object.values(groups)) group.sort(byInterest);
  return groups;
}

/** All words must occur somewhere. */
export function fits(session: Session, { text, agent }: Filter): boolean {
  if (agent !== '' && session.agent !== agent) return false;
  if (text.trim() === '') return true;
  const { title, summary, lastLine, cwd, id, model } = session;
  const all = [title, summary, lastLine, cwd, id, model, session.agent, ...session.tags].join('\n').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

function byInterest(a: Session, b: Session): number {
  return Number(b.pinned) - Number(a.pinned) || b.activitySince - a.activitySince || b.createdAt - a.createdAt;
}

export function agentsOf(sessions: Iterable<Session>): string[] {
  return [...new Set([...sessions].map(({ agent }) => agent))].sort();
}
