import type { AuditEntry } from '@agent-mux/api/browser';

/** Those that decide something that an agent has asked for. */
export function isDecision({ action }: Pick<AuditEntry, 'action'>): boolean {
  return action.startsWith('request.');
}

const PEOPLE: readonly (readonly [RegExp, string])[] = [
  [/^browser:/, 'a browser'],
  [/^token$/, 'the command line'],
  [/^policy\b/, 'a rule'],
];

/** Who it was, as far as a reader knows them. */
export function whoWords(who: string): string {
  return PEOPLE.find(([known]) => known.test(who))?.[1] ?? who;
}

/** `session.create` is `session create`. */
export function actionWords(action: string): string {
  return action.replaceAll(/[.-]/g, ' ');
}

const FIRST = ['outcome', 'decision', 'option', 'title', 'asked', 'rule', 'reason', 'message'];

/** What is noted with it, what matters first, each as `name: value`. */
export function detailWords(detail: AuditEntry['detail']): string {
  const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== undefined && value !== '')
    .sort(([a], [b]) => rank(a) - rank(b))
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ');
}

/** The newest first, those that fit. */
export function chooseEntries(
  entries: readonly AuditEntry[],
  { text, isAll }: { text: string; isAll: boolean },
): AuditEntry[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return entries
    .filter((entry) => {
      if (!isAll && !isDecision(entry)) return false;
      const all = `${entry.who} ${entry.action} ${entry.sessionId ?? ''} ${detailWords(entry.detail)}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .reverse();
}
