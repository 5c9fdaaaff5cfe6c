import type { AuditEntry } from '@agent-mux/api/browser';
import { browserText } from '../settings/settings.logic.ts';

/** Whether an entry decides a request of an agent. */
function isDecision({ action }: Pick<AuditEntry, 'action'>): boolean {
  return action.startsWith('request.');
}

const ACTORS: readonly (readonly [RegExp, string])[] = [
  [/^token$/, 'the CLI'],
  [/^policy$/, 'a rule'],
  [/^agent$/, 'the agent'],
  [/^timeout$/, 'timeout'],
  [/^remembered\b/, 'a remembered answer'],
];

/** Display name of an actor. `browsers`: names of the signed-in browsers by id. */
export function actorText(actor: string, browsers: ReadonlyMap<string, string> = new Map()): string {
  const [, id] = /^browser:(.+)$/.exec(actor) ?? [];
  if (id !== undefined) return browsers.get(id) ?? 'signed-out browser';
  return ACTORS.find(([known]) => known.test(actor))?.[1] ?? actor;
}

/** Groups of actors, for the filter. */
export const DECIDERS = { people: 'People', rules: 'Rules', agents: 'Agents and limits' } as const;
type Decider = keyof typeof DECIDERS;

function deciderOf(actor: string): Decider {
  if (/^(?:rule|remembered)\b|^policy$/.test(actor)) return 'rules';
  return /^(?:browser:|token$)/.test(actor) ? 'people' : 'agents';
}

const ACTIONS: Readonly<Record<string, string>> = {
  'request.allow': 'Allowed',
  'request.deny': 'Denied',
  'request.answer': 'Answered',
  'request.decline': 'Declined',
  'request.snooze': 'Snoozed',
  'request.resolved': 'Resolved',
  'policy.rule-add': 'Policy rule added',
  'policy.rule-remove': 'Policy rule removed',
  'browser.login-link': 'Login link created',
};

/** Display text of an action; `session.create` becomes `Session create`. */
export function actionText(action: string): string {
  const text = action.replaceAll(/[.-]/g, ' ');
  return ACTIONS[action] ?? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

const FIRST = ['title', 'outcome', 'decision', 'option', 'resource', 'answer', 'rule', 'reason', 'message'];

/** Readable form of a value. Of an answer only what its action does not already say: typed text and choices. */
function readableValue(name: string, value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith('Mozilla/')) return browserText(value);
  if (name === 'until' && typeof value === 'number') return new Date(value).toLocaleString();
  if (name !== 'answer' || typeof value !== 'object' || value === null) return value;
  const rest = Object.entries(value).filter(([field]) => field !== 'decision' && field !== 'optionId');
  const [only] = rest;
  if (rest.length === 1 && only?.[0] === 'message') return only[1];
  return rest.length === 0 ? undefined : Object.fromEntries(rest);
}

/** Fields of a request that add nothing to its title, tool and action. */
const REDUNDANT: ReadonlySet<string> = new Set(['requestId', 'kind']);

/** Details of an entry as `name: value`, important ones first. */
export function detailText(detail: AuditEntry['detail']): string {
  const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return (
    Object.entries(detail)
      .filter(([name]) => !('requestId' in detail && REDUNDANT.has(name)))
      .map(([name, value]) => [name, readableValue(name, value)] as const)
      .filter(([, value]) => value !== null && value !== undefined && value !== '')
      .sort(([a], [b]) => rank(a) - rank(b))
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
      // The title needs no label.
      .map(([name, text]) => (name === 'title' ? text : `${name}: ${text}`))
      .join(' · ')
  );
}

/** Matching entries, newest first. */
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
      if ((by !== '' && deciderOf(entry.actor) !== by) || (session !== '' && entry.sessionId !== session)) return false;
      const all = `${entry.actor} ${entry.action} ${entry.sessionId ?? ''} ${detailText(entry.detail)}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .reverse();
}
