import type { Session } from '@agent-mux/api/browser';
import { projectOf } from '../../components/format.logic.ts';
import { folderOf } from '../../components/labels.logic.ts';
import { type State, stateOf } from '../../data/session-state.logic.ts';

export interface Filter {
  text: string;
  agent: string;
  /** The project folder; of a worktree its repository. */
  project: string;
}

/** Sessions that need no input, by state. Pinned ones first, then by last activity. */
export type Groups = Readonly<Record<Exclude<State, 'waiting'>, readonly Session[]>>;

export function groupSessions(sessions: Iterable<Session>, filter: Filter): Groups {
  const groups: Record<State, Session[]> = { waiting: [], working: [], limited: [], done: [], failed: [] };
  for (const session of sessions) if (matchesFilter(session, filter)) groups[stateOf(session)].push(session);
  for (const group of Object.values(groups)) group.sort(byRelevance);
  return groups;
}

/** Whether a session matches the filter; every search word must occur in some field. */
export function matchesFilter(session: Session, { text, agent, project }: Filter): boolean {
  if (agent !== '' && session.agent !== agent) return false;
  if (project !== '' && folderOf(session) !== project) return false;
  if (text.trim() === '') return true;
  const { title, summary, statusText, cwd, id, model } = session;
  const all = [title, summary, statusText, cwd, id, model, session.agent, ...session.tags].join('\n').toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}

function byRelevance(a: Session, b: Session): number {
  return Number(b.pinned) - Number(a.pinned) || b.activitySince - a.activitySince || b.createdAt - a.createdAt;
}

/** Path of the page that shows the whole group with the same filter. */
export function groupPath(state: State, { text, agent, project }: Filter): string {
  const query = Object.entries({ state, q: text, agent, project }).filter(([, value]) => value !== '');
  return `/sessions?${new URLSearchParams(query)}`;
}

export interface Choice {
  value: string;
  label: string;
}

/** Project folders, labeled by name, or by full path if the name is ambiguous. */
export function projectsOf(sessions: Iterable<Session>): Choice[] {
  const folders = [...new Set([...sessions].map(folderOf))];
  const names = folders.map(projectOf);
  const isUnique = (name: string) => names.indexOf(name) === names.lastIndexOf(name);
  return folders
    .map((value, at) => ({ value, label: isUnique(names[at] ?? '') ? (names[at] ?? value) : value }))
    .sort((a, b) => a.label.localeCompare(b.label));
}

export function agentsOf(sessions: Iterable<Session>): string[] {
  return [...new Set([...sessions].map(({ agent }) => agent))].sort();
}
