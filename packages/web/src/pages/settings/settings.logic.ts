import type { NewRule, Policy, Schedule } from '@agent-mux/api/browser';

type Rule = Policy['rules'][number];
type Remembered = Policy['remembered'][number];

/** One-line description of a rule. */
export function ruleText({
  agent,
  kind,
  tool,
  pattern,
  folder,
  allowFields,
}: Omit<Rule, 'decision' | 'name' | 'source' | 'file' | 'line'>): string {
  const parts = [
    kind ? kind.join(' or ') : 'anything',
    pattern ? `matching ${pattern.join(' or ')}` : '',
    tool ? `with tool ${tool.join(' or ')}` : '',
    agent ? `for ${agent.join(' or ')}` : '',
    folder ? `in ${folder.join(' or ')}` : '',
    allowFields ? `allowing fields ${allowFields.join(', ')}` : '',
  ];
  return parts.filter((part) => part !== '').join(' ');
}

const SCOPES = { session: 'in its session', project: 'in its project', global: 'everywhere' } as const;

export function rememberedText({ agent, kind, resource, pattern, scope, folder }: Remembered): string {
  const where = scope === 'project' && folder !== undefined ? `in ${folder}` : SCOPES[scope];
  return `${kind} ${pattern === undefined ? resource : `matching ${pattern}`} for ${agent}, ${where}`;
}

export interface RuleFields {
  decision: NewRule['decision'];
  kind: string;
  pattern: string;
  agent: string;
  folder: string;
}

/** Builds a rule from the form fields; empty fields are omitted. */
export function ruleOf({ decision, kind, pattern, agent, folder }: RuleFields): NewRule {
  const one = (text: string) => (text.trim() === '' ? undefined : [text.trim()]);
  const options = { pattern: one(pattern), agent: one(agent), folder: one(folder) };
  return {
    decision,
    ...(isKind(kind) ? { kind: [kind] } : {}),
    ...(options.pattern ? { pattern: options.pattern } : {}),
    ...(options.agent ? { agent: options.agent } : {}),
    ...(options.folder ? { folder: options.folder } : {}),
  };
}

/** A unique name, so that the rule can be removed again: `deny-execute`, `deny-execute-2`. */
export function nameRule({ decision, kind }: NewRule, taken: readonly string[]): string {
  const name = `${decision}-${kind?.[0] ?? 'anything'}`;
  for (let at = 1; ; at += 1) {
    const numbered = at === 1 ? name : `${name}-${at}`;
    if (!taken.includes(numbered)) return numbered;
  }
}

/** An unnamed rule is identified by its position in the file and can only be removed by editing the file. */
export function isNamed({ name }: Pick<Rule, 'name'>): boolean {
  return !/^(?:user|project)-\d+$/.test(name);
}

export const KINDS = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'fetch', 'think', 'mcp', 'other'] as const;
export type Kind = (typeof KINDS)[number];
export const isKind = (text: string): text is Kind => KINDS.some((kind) => kind === text);

/** Whether a rule lets every agent run every command everywhere, which deserves a warning. */
export function allowsAll({ decision, kind, pattern, agent, folder }: NewRule): boolean {
  return decision === 'allow' && !pattern && !folder && !agent && (kind === undefined || kind.includes('execute'));
}

export function scheduleText({ session, paused, lastRun }: Schedule): string {
  const last = lastRun ? `, last run: ${lastRun.error?.message ?? lastRun.state}` : '';
  return `${session.agent} in ${session.cwd}${paused ? ', paused' : ''}${last}`;
}

const PROGRAMS = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

/** Readable browser name from its user agent; unknown ones are shown as is. */
export function browserText(name: string): string {
  const program = PROGRAMS.find(([known]) => known.test(name))?.[1];
  const system = SYSTEMS.find(([known]) => known.test(name))?.[1];
  return program === undefined ? name : `${program}${system === undefined ? '' : ` on ${system}`}`;
}

/** A size on disk; 0 means no limit. */
export function bytesOf(bytes: number): string {
  if (bytes === 0) return 'no limit';
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const at = Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  const value = bytes / 1024 ** at;
  return `${value >= 10 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}

/** A duration in whole days, hours, minutes or seconds. */
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
