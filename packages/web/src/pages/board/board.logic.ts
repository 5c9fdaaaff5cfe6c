import type { Session } from '@agent-mux/api/browser';
import { type State, stateOf } from '../../data/session-state.logic.ts';
import { projectOf } from '../../parts/format.logic.ts';
import { folderOf } from '../../parts/words.logic.ts';

export interface Filter {
  text: string;
  agent: string;
  /** The folder that people know it by. */
  project: string;
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
export function fits(session: Session, { text, agent, project }: Filter): boolean {
  if (agent !== '' && session.agent !== agent) return false;
  if (project !== '' && folderOf(session) !== project) return false;
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

/** Where a group is seen whole, with what was filtered here. */
export function addressOfGroup(state: State, { text, agent, project }: Filter): string {
  const query = Object.entries({ state, q: text, agent, project }).filter(([, value]) => value !== '');
  return `/sessions?${new URLSearchParams(query)}`;
}

export interface Choice {
  value: string;
  label: string;
}

/** Folders by their last name; where two have the same, by their whole path. */
export function projectsOf(sessions: Iterable<Session>): Choice[] {
  const folders = [...new Set([...sessions].map(folderOf))];
  const names = folders.map(projectOf);
  const isAlone = (name: string) => names.indexOf(name) === names.lastIndexOf(name);
  return folders
    .map((value, at) => ({ value, label: isAlone(names[at] ?? '') ? (names[at] ?? value) : value }))
    .sort((a, b) => a.label.localeCompare(b.label));
}

export function agentsOf(sessions: Iterable<Session>): string[] {
  return [...new Set([...sessions].map(({ agent }) => agent))].sort();
}
