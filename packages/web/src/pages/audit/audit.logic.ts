import type { AuditEntry } from '@agent-mux/api/browser';
import { browserWords } from '../settings/settings.logic.ts';

/** Those that decide something that an agent has asked for. */
function isDecision({ action }: Pick<AuditEntry, 'action'>): boolean {
  return action.startsWith('request.');
}

const PEOPLE: readonly (readonly [RegExp, string])[] = [
  [/^token$/, 'the command line'],
  [/^policy$/, 'a rule'],
  [/^agent$/, 'the agent itself'],
  [/^timeout$/, 'the limit of time'],
  [/^remembered\b/, 'a remembered answer'],
];

/** Who it was, as far as a reader knows them. `browsers`: the names of those that are signed in, by their ids. */
export function whoWords(who: string, browsers: ReadonlyMap<string, string> = new Map()): string {
  const [, id] = /^browser:(.+)$/.exec(who) ?? [];
  if (id !== undefined) return browsers.get(id) ?? 'a browser that is signed out';
  return PEOPLE.find(([known]) => known.test(who))?.[1] ?? who;
}

/** Groups of those who decide, for the filter. */
export const DECIDERS = { people: 'People', rules: 'Rules', agents: 'Agents and limits' } as const;
type Decider = keyof typeof DECIDERS;

function deciderOf(who: string): Decider {
  if (/^(?:rule|remembered)\b|^policy$/.test(who)) return 'rules';
  return /^(?:browser:|token$)/.test(who) ? 'people' : 'agents';
}

const ACTIONS: Readonly<Record<string, string>> = {
  'request.allow': 'Allowed',
  'request.deny': 'Denied',
  'request.answer': 'Answered',
  'request.decline': 'Not answered',
  'request.later': 'Put off',
  'request.resolved': 'Resolved',
};

/** What people call it; `session.create` is `Session create`. */
export function actionWords(action: string): string {
  const words = action.replaceAll(/[.-]/g, ' ');
  return ACTIONS[action] ?? `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}

const FIRST = ['title', 'outcome', 'decision', 'option', 'asked', 'answer', 'rule', 'reason', 'message'];

/** Of an answer what its action does not say already: words that were typed, what was chosen. */
function plainValue(name: string, value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith('Mozilla/')) return browserWords(value);
  if (name === 'until' && typeof value === 'number') return new Date(value).toLocaleString();
  if (name !== 'answer' || typeof value !== 'object' || value === null) return value;
  const rest = Object.entries(value).filter(([field]) => field !== 'decision' && field !== 'optionId');
  const [only] = rest;
  if (rest.length === 1 && only?.[0] === 'message') return only[1];
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** Of a request: its id and kind say nothing that its title, its tool or its action does not. */
const UNREAD: ReadonlySet<string> = new Set(['requestId', 'kind']);

/** What is noted with it, what matters first, each as `name: value`. */
export function detailWords(detail: AuditEntry['detail']): string {
  const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return (
    Object.entries(detail)
      .filter(([name]) => !('requestId' in detail && UNREAD.has(name)))
      .map(([name, value]) => [name, plainValue(name, value)] as const)
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .sort(([a], [b]) => rank(a) - rank(b))
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
      // What was asked for needs no name.
      .map(([name, text]) => (name === 'title' ? text : `${name}: ${text}`))
      .join(' · ')
  );
}

/** The newest first, those that fit. */
export function chooseEntries(
  entries: readonly AuditEntry[],
  { text, isAll, by = '', session = '' }: { text: string; isAll: boolean; by?: string; session?: string },
): AuditEntry[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return entries
    .filter((entry) => {
      if (!isAll && !isDecision(entry)) return false;
      if ((by !== '' && deciderOf(entry.who) !== by) || (session !== '' && entry.sessionId !== session)) return false;
      const all = `${entry.who} ${entry.action} ${entry.sessionId ?? ''} ${detailWords(entry.detail)}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .reverse();
}
