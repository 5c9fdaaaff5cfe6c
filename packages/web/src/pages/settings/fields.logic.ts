import type { BudgetRule, BudgetStatus, NotifyRule, NotifyTargetPatch, SettingsPatch } from '@agent-mux/api/browser';
import { readAmounts } from '../../parts/limit.logic.ts';

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;
const DURATION = /^(?:\d{1,6}(?:ms|s|m|h|d)){1,5}$/;

/** As the file has it: `90d`, `30m`, `0s`. */
export function durationText(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms > 0 && ms % each === 0) ?? (ms === 0 ? ['s', 1000] : ['ms', 1]);
  return `${ms / size}${unit}`;
}

/** Empty: the default. */
export function readDuration(text: string): { value: string | null } | string {
  if (text === '') return { value: null };
  const joined = text.replaceAll(' ', '');
  return DURATION.test(joined) ? { value: joined } : `"${text}" is no duration: say 90d, 12h, 30m or 0s`;
}

const SIZES: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

/** `5 GB`, `500MB`, `0`; empty: the default. */
export function readBytes(text: string): { value: number | null } | string {
  if (text === '') return { value: null };
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?) ?([kmgt]?)b?$/i.exec(text) ?? [];
  if (amount === undefined) return `"${text}" is no size: say 5 GB, 500 MB, or 0 for no limit`;
  return { value: Math.round(Number(amount) * (SIZES[unit.toLowerCase()] ?? 1)) };
}

/** A whole number from 1 on; empty: the default. */
export function readCount(text: string): { value: number | null } | string {
  if (text === '') return { value: null };
  return /^\d{1,5}$/.test(text) && Number(text) > 0
    ? { value: Number(text) }
    : `"${text}" is no whole number from 1 on`;
}

/** Empty: at any time. */
export function readHours(text: string): { value: string | null } | string {
  if (text === '') return { value: null };
  const joined = text.replaceAll(' ', '');
  const [, from, to] = /^(\d{1,2}:\d{2})-(\d{1,2}:\d{2})$/.exec(joined) ?? [];
  if (from === undefined || from === to) return `"${text}" is no part of the day: say 08:00-22:00 or 22:00-06:00`;
  return { value: joined };
}

/** What a reader has read, as a change of one field. */
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
  if (folder !== '' && !/^(\/|[A-Za-z]:[/\\])/.test(folder)) return `"${folder}" is no absolute path`;
  return {
    per,
    ...amounts,
    ...(agent === '' ? {} : { agent }),
    ...(folder === '' ? {} : { project: folder }),
  };
}

const PER = { session: 'each session', day: 'a day', project: 'a project, for ever' } as const;

export function budgetWords({ per, agent, project }: BudgetRule): string {
  const where = project === undefined ? '' : ` in ${project}`;
  return `${per === 'project' && project !== undefined ? 'for ever' : PER[per]}${where}${agent === undefined ? '' : ` for ${agent}`}`;
}

/** How full it is; undefined: nobody can say without a session. */
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
  ['blocked', 'an agent asks for leave'],
  ['waiting_input', 'it asks a question'],
  ['limited', 'a limit has stopped it'],
  ['failed', 'it has failed'],
  ['idle', 'a turn is over'],
  ['exited', 'a session has ended'],
] as const;
type Event = (typeof EVENTS)[number][0];
/** Where a rule says nothing. */
const USUAL: readonly Event[] = ['blocked', 'waiting_input', 'limited', 'failed'];

export function notifyRuleWords({ when, agents, projects, to, quietHours, inQuietHours }: NotifyRule): string {
  const events = EVENTS.filter(([event]) => (when ?? USUAL).includes(event)).map(([, words]) => words);
  const parts = [
    `${to.join(', ')}: when ${events.join('; ')}`,
    agents ? `of ${agents.join(', ')}` : '',
    projects ? `in ${projects.join(', ')}` : '',
    quietHours === undefined
      ? ''
      : `quiet ${quietHours} (${inQuietHours === 'drop' ? 'not told at all' : 'told together afterwards'})`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

/** A rule cannot name a target that is gone. */
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

/** Of one that is there, what is left empty stays. */
export function readTarget(fields: TargetFields, isNew: boolean): NotifyTargetPatch | string {
  const { name, type, url, secret } = fields;
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/.test(name)) return 'The name is made of letters, digits, - and _';
  // The program of a command is set in the configuration file: the daemon accepts it from no browser.
  if (type !== 'webhook') return { type };
  if (url.trim() === '' && isNew) return 'Say where it is sent to';
  if (url.trim() !== '' && !/^https?:\/\/\S+$/.test(url.trim())) return 'The address begins with https:// or http://';
  if (secret === '' && isNew) return 'Say a secret that signs what is sent, or make one';
  if (secret !== '' && !/^[!-~]{16,500}$/.test(secret)) return 'The secret has 16 characters or more, and no spaces';
  return { type, ...(url.trim() === '' ? {} : { url: url.trim() }), ...(secret === '' ? {} : { secret }) };
}

export interface NotifyRuleFields {
  to: readonly string[];
  when: readonly Event[];
  /** With commas between. */
  agents: string;
  projects: string;
  quietHours: string;
  inQuietHours: 'hold' | 'drop';
}

export function notifyRuleFields(rule: NotifyRule | undefined): NotifyRuleFields {
  return {
    to: rule?.to ?? [],
    when: rule?.when ?? USUAL,
    agents: rule?.agents?.join(', ') ?? '',
    projects: rule?.projects?.join(', ') ?? '',
    quietHours: rule?.quietHours ?? '',
    inQuietHours: rule?.inQuietHours ?? 'hold',
  };
}

export function readNotifyRule(fields: NotifyRuleFields): NotifyRule | string {
  const { to, when, agents, projects, inQuietHours } = fields;
  if (to.length === 0) return 'Say who is told';
  if (when.length === 0) return 'Say when';
  const quiet = readHours(fields.quietHours.trim());
  if (typeof quiet === 'string') return quiet;
  const isUsual = when.length === USUAL.length && USUAL.every((event) => when.includes(event));
  const [of, within] = [namesIn(agents), namesIn(projects)];
  return {
    to: [...to],
    ...(isUsual ? {} : { when: EVENTS.map(([event]) => event).filter((event) => when.includes(event)) }),
    ...(of.length === 0 ? {} : { agents: of }),
    ...(within.length === 0 ? {} : { projects: within }),
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
