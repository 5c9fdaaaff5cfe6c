import type { NewRule, Policy, Schedule } from '@agent-mux/api/browser';

type Rule = Policy['rules'][number];
type Remembered = Policy['remembered'][number];

/** What a rule is about, in a line. */
export function ruleWords({
  agent,
  kind,
  tool,
  pattern,
  folder,
  also,
}: Omit<Rule, 'decision' | 'name' | 'source' | 'file' | 'line'>): string {
  const parts = [
    kind ? kind.join(' or ') : 'anything',
    pattern ? `like ${pattern.join(' or ')}` : '',
    tool ? `by the tool ${tool.join(' or ')}` : '',
    agent ? `of ${agent.join(' or ')}` : '',
    folder ? `in ${folder.join(' or ')}` : '',
    also ? `also asking for ${also.join(', ')}` : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

const SCOPES = { session: 'in its session', project: 'in its project', everywhere: 'everywhere' } as const;

export function rememberedWords({ agent, kind, asked, pattern, scope, folder }: Remembered): string {
  const where = scope === 'project' && folder !== undefined ? `in ${folder}` : SCOPES[scope];
  return `${kind} ${pattern === undefined ? asked : `like ${pattern}`} of ${agent}, ${where}`;
}

export interface RuleFields {
  decision: NewRule['decision'];
  kind: string;
  pattern: string;
  agent: string;
  folder: string;
}

/** What a form holds, as the daemon takes it: what is empty is left out. */
export function ruleOf({ decision, kind, pattern, agent, folder }: RuleFields): NewRule {
  const one = (text: string) => (text.trim() === '' ? undefined : [text.trim()]);
  const given = { pattern: one(pattern), agent: one(agent), folder: one(folder) };
  return {
    decision,
    ...(isKind(kind) ? { kind: [kind] } : {}),
    ...(given.pattern ? { pattern: given.pattern } : {}),
    ...(given.agent ? { agent: given.agent } : {}),
    ...(given.folder ? { folder: given.folder } : {}),
  };
}

export const KINDS = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'fetch', 'think', 'mcp', 'other'] as const;
export type Kind = (typeof KINDS)[number];
export const isKind = (text: string): text is Kind => KINDS.some((kind) => kind === text);

/** What allows everything, for everybody, everywhere, is worth a second look. */
export function allowsAll({ decision, kind, pattern, agent, folder }: NewRule): boolean {
  return decision === 'allow' && !pattern && !folder && !agent && (kind === undefined || kind.includes('execute'));
}

export function scheduleWords({ session, paused, lastRun }: Schedule): string {
  const last = lastRun ? `, the last run: ${lastRun.error?.message ?? lastRun.state}` : '';
  return `${session.agent} in ${session.cwd}${paused ? ', paused' : ''}${last}`;
}

/** A size of the disk. */
export function bytesOf(bytes: number): string {
  if (bytes === 0) return 'no limit';
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const at = Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  const value = bytes / 1024 ** at;
  return `${value >= 10 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}

/** A duration in words of whole days, hours or minutes. */
export function spanOf(ms: number): string {
  if (ms === 0) return 'never';
  const [unit, size] = (
    [
      ['day', 86_400_000],
      ['hour', 3_600_000],
      ['minute', 60_000],
      ['second', 1000],
    ] as const
  ).find(([, each]) => ms >= each && ms % each === 0) ?? ['second', 1000];
  const count = Math.round(ms / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
