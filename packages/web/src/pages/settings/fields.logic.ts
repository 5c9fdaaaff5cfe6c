import type { BudgetRule, BudgetStatus, NotifyRule, NotifyTargetPatch, SettingsPatch } from '@agent-mux/api/browser';
import { readAmounts } from '../../components/limit.logic.ts';

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;
const DURATION = /^(?:\d{1,6}(?:ms|s|m|h|d)){1,5}$/;

/** Duration in config file format: `90d`, `30m`, `0s`. */
export function durationText(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms > 0 && ms % each === 0) ?? (ms === 0 ? ['s', 1000] : ['ms', 1]);
  return `${ms / size}${unit}`;
}

/** Parses a duration. Empty means the default. */
export function readDuration(text: string): { value: string | null } | string {
  if (text === '') return { value: null };
  const joined = text.replaceAll(' ', '');
  return DURATION.test(joined) ? { value: joined } : `"${text}" is not a duration. Use 90d, 12h, 30m or 0s`;
}

const SIZES: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** Parses a size: `5 GB`, `500MB`, `0`. Empty means the default. */
export function readBytes(text: string): { value: number | null } | string {
  if (text === '') return { value: null };
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?) ?([kmgt]?)b?$/i.exec(text) ?? [];
  if (amount === undefined) return `"${text}" is not a size. Use 5 GB, 500 MB, or 0 for no limit`;
  return { value: Math.round(Number(amount) * (SIZES[unit.toLowerCase()] ?? 1)) };
}

/** Parses a positive whole number. Empty means the default. */
export function readCount(text: string): { value: number | null } | string {
  if (text === '') return { value: null };
  return /^\d{1,5}$/.test(text) && Number(text) > 0
    ? { value: Number(text) }
    : `"${text}" is not a whole number of 1 or more`;
}

/** Parses a daily time range. Empty means at any time. */
export function readHours(text: string): { value: string | null } | string {
  if (text === '') return { value: null };
  const joined = text.replaceAll(' ', '');
  const [, from, to] = /^(\d{1,2}:\d{2})-(\d{1,2}:\d{2})$/.exec(joined) ?? [];
  if (from === undefined || from === to) return `"${text}" is not a time range. Use 08:00-22:00 or 22:00-06:00`;
  return { value: joined };
}

/** Turns a parsed value into a settings patch and passes an error message through. */
export function patchOf<Value>(
  read: { value: Value } | string,
  make: (value: Value) => SettingsPatch,
): SettingsPatch | string {
  return typeof read === 'string' ? read : make(read.value);
}

export interface BudgetFields {
  per: BudgetRule['per'];
  usd: string;
  tokens: string;
  agent: string;
  project: string;
}

export function readBudget({ per, usd, tokens, agent, project }: BudgetFields): BudgetRule | string {
  const amounts = readAmounts({ usd, tokens });
  if (typeof amounts === 'string') return amounts;
  const folder = project.trim();
  if (folder !== '' && !/^(\/|[A-Za-z]:[/\\])/.test(folder)) return `"${folder}" is not an absolute path`;
  return {
    per,
    ...amounts,
    ...(agent === '' ? {} : { agent }),
    ...(folder === '' ? {} : { project: folder }),
  };
}

const PER = { session: 'per session', day: 'per day', project: 'per project, in total' } as const;

export function budgetRuleText({ per, agent, project }: BudgetRule): string {
  const where = project === undefined ? '' : ` in ${project}`;
  return `${per === 'project' && project !== undefined ? 'in total' : PER[per]}${where}${agent === undefined ? '' : ` for ${agent}`}`;
}

/** Status of a budget; undefined if it is known only per session. */
export function statusOf(rule: BudgetRule, all: readonly BudgetStatus[]): BudgetStatus | undefined {
  return all.find(
    ({ per, agent, project, usd, tokens, sessionId }) =>
      sessionId === null &&
      per === rule.per &&
      agent === (rule.agent ?? null) &&
      project === (rule.project ?? null) &&
      usd === (rule.usd ?? null) &&
      tokens === (rule.tokens ?? null),
  );
}

export const EVENTS = [
  ['blocked', 'an agent requests approval'],
  ['waiting_input', 'an agent asks a question'],
  ['limited', 'a limit pauses a session'],
  ['failed', 'a session fails'],
  ['idle', 'a turn ends'],
  ['exited', 'a session ends'],
] as const;
type Event = (typeof EVENTS)[number][0];
/** Events of a rule without `when`. */
const DEFAULT_EVENTS: readonly Event[] = ['blocked', 'waiting_input', 'limited', 'failed'];

export function notifyRuleText({ when, agents, projects, to, quietHours, inQuietHours }: NotifyRule): string {
  const events = EVENTS.filter(([event]) => (when ?? DEFAULT_EVENTS).includes(event)).map(([, label]) => label);
  const parts = [
    `${to.join(', ')}: when ${events.join('; ')}`,
    agents ? `of ${agents.join(', ')}` : '',
    projects ? `in ${projects.join(', ')}` : '',
    quietHours === undefined
      ? ''
      : `quiet ${quietHours} (${inQuietHours === 'drop' ? 'send nothing' : 'summary afterwards'})`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** Removes a target from all rules, and rules that have no target left. */
export function withoutTarget(rules: readonly NotifyRule[], name: string): NotifyRule[] {
  return rules.flatMap((rule) => {
    const to = rule.to.filter((each) => each !== name);
    return to.length === 0 ? [] : [{ ...rule, to }];
  });
}

export interface TargetFields {
  name: string;
  type: NotifyTargetPatch['type'];
  url: string;
  secret: string;
}

/** Parses the form of a target. Empty fields of an existing target stay unchanged. */
export function readTarget(fields: TargetFields, isNew: boolean): NotifyTargetPatch | string {
  const { name, type, url, secret } = fields;
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(name)) return 'Use only letters, digits, - and _ in the name';
  // The program of a command target can only be set in the config file: the daemon rejects it from browsers.
  if (type !== 'webhook') return { type };
  if (url.trim() === '' && isNew) return 'Enter a URL';
  if (url.trim() !== '' && !/^https?:\/\/\S+$/.test(url.trim())) return 'The URL must start with https:// or http://';
  if (secret === '' && isNew) return 'Enter a signing secret, or generate one';
  if (secret !== '' && !/^[!-~]{16,500}$/.test(secret))
    return 'The secret must have at least 16 characters and no spaces';
  return { type, ...(url.trim() === '' ? {} : { url: url.trim() }), ...(secret === '' ? {} : { secret }) };
}

export interface NotifyRuleFields {
  to: readonly string[];
  when: readonly Event[];
  /** Comma-separated. */
  agents: string;
  projects: string;
  quietHours: string;
  inQuietHours: 'hold' | 'drop';
}

export function notifyRuleFields(rule: NotifyRule | undefined): NotifyRuleFields {
  return {
    to: rule?.to ?? [],
    when: rule?.when ?? DEFAULT_EVENTS,
    agents: rule?.agents?.join(', ') ?? '',
    projects: rule?.projects?.join(', ') ?? '',
    quietHours: rule?.quietHours ?? '',
    inQuietHours: rule?.inQuietHours ?? 'hold',
  };
}

export function readNotifyRule(fields: NotifyRuleFields): NotifyRule | string {
  const { to, when, agents, projects, inQuietHours } = fields;
  if (to.length === 0) return 'Choose a target';
  if (when.length === 0) return 'Choose at least one event';
  const quiet = readHours(fields.quietHours.trim());
  if (typeof quiet === 'string') return quiet;
  const isDefault = when.length === DEFAULT_EVENTS.length && DEFAULT_EVENTS.every((event) => when.includes(event));
  const [agentNames, projectNames] = [namesIn(agents), namesIn(projects)];
  return {
    to: [...to],
    ...(isDefault ? {} : { when: EVENTS.map(([event]) => event).filter((event) => when.includes(event)) }),
    ...(agentNames.length === 0 ? {} : { agents: agentNames }),
    ...(projectNames.length === 0 ? {} : { projects: projectNames }),
    ...(quiet.value === null ? {} : { quietHours: quiet.value }),
    ...(quiet.value === null || inQuietHours === 'hold' ? {} : { inQuietHours }),
  };
}

function namesIn(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
