import { type NOTIFICATION_STATES, type NotifyRule, NotifyRuleSchema } from '@agent-mux/api/schemas';
import { type ConfigIssue, isRecord, issueAt, type LoadedConfig } from '@agent-mux/core';
import { z } from 'zod';
import { parseQuietHours, type QuietHours } from './quiet-hours.ts';

export type Target =
  | { name: string; type: 'desktop' }
  | { name: string; type: 'webhook'; url: string; secretFile?: string | undefined; secretEnv?: string | undefined }
  | { name: string; type: 'command'; command: readonly string[] };

export type NotifiedState = (typeof NOTIFICATION_STATES)[number];

/** Which notices are sent to which targets. An omitted field matches everything. */
export interface Rule {
  when: readonly NotifiedState[];
  agents?: readonly string[] | undefined;
  /** Folders including their subfolders, or the name of a folder. */
  projects?: readonly string[] | undefined;
  to: readonly string[];
  quietHours?: QuietHours | undefined;
  inQuietHours: 'hold' | 'drop';
}

export interface NotifySettings {
  targets: ReadonlyMap<string, Target>;
  rules: readonly Rule[];
  /** The rules as written in the file. */
  written: readonly NotifyRule[];
}

/** Needs no configuration, so rules may name it without a target entry. */
export const DESKTOP: Target = { name: 'desktop', type: 'desktop' };

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;
const MAX_TARGETS = 50;
const MAX_RULES = 100;
const Text = (max: number) => z.string().min(1).max(max);

const UrlSchema = Text(2000).superRefine((text, context) => {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) context.addIssue('must be an http or https URL');
  else if (url.username || url.password) context.addIssue('must not contain a user name or password');
});

const TargetSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('desktop') }),
  z
    .strictObject({
      type: z.literal('webhook'),
      url: UrlSchema,
      secretFile: Text(4096).optional(),
      secretEnv: z
        .string()
        .regex(/^[A-Za-z_]\w{0,199}$/, 'must be the name of an environment variable, not its value')
        .optional(),
    })
    .refine(
      ({ secretFile, secretEnv }) => (secretFile === undefined) !== (secretEnv === undefined),
      'needs either secretFile or secretEnv to sign what is sent',
    ),
  z.strictObject({
    type: z.literal('command'),
    command: z
      .array(
        z
          .string()
          .max(10_000)
          .regex(/^[^\0]*$/),
      )
      .min(1)
      .max(200)
      .refine(([program]) => program !== '', 'must start with a program'),
  }),
]);

const RuleSchema = NotifyRuleSchema.extend({
  quietHours: z
    .string()
    .refine((text) => parseQuietHours(text) !== null, 'must be two times of day such as "22:00-07:00"')
    .optional(),
});

/** Default of `when`: everything that needs a person. */
const DEFAULT_STATES: readonly NotifiedState[] = ['blocked', 'waiting_input', 'limited', 'failed'];

/** Drops invalid targets and rules and reports each as an issue with its line. */
export function readNotifySettings({ daemon }: Pick<LoadedConfig, 'daemon'>): {
  settings: NotifySettings;
  issues: ConfigIssue[];
} {
  const issues: ConfigIssue[] = [];
  const targets = new Map<string, Target>();
  const rules: Rule[] = [];
  const written: NotifyRule[] = [];
  const settings = { targets, rules, written };
  const section = isRecord(daemon?.value) ? daemon.value.notify : undefined;
  if (!daemon || section === undefined) return { settings, issues };
  const at = ['daemon', 'notify'];
  const refuse = (path: readonly (string | number)[], problem: string) =>
    void issues.push(issueAt(daemon.document, [...at, ...path], problem));
  if (!isRecord(section)) {
    refuse([], 'must be an object with targets and rules');
    return { settings, issues };
  }
  for (const key of Object.keys(section))
    if (key !== 'targets' && key !== 'rules') refuse([key], 'is not a known option; use targets and rules');

  const { targets: targetEntries = {}, rules: ruleEntries = [] } = section;
  if (!isRecord(targetEntries)) refuse(['targets'], 'must be an object of targets by name');
  else
    for (const [at, [name, value]] of Object.entries(targetEntries).entries()) {
      const read = TargetSchema.safeParse(value);
      if (!NAME.test(name)) refuse(['targets', name], 'must have a name of letters, digits, - and _');
      else if (at >= MAX_TARGETS) refuse(['targets', name], `exceeds the limit of ${MAX_TARGETS} targets`);
      else if (read.success) targets.set(name, { name, ...read.data });
      else for (const issue of read.error.issues) refuse(['targets', name, ...pathOf(issue)], issue.message);
    }
  if (!Array.isArray(ruleEntries)) refuse(['rules'], 'must be a list');
  else
    for (const [at, value] of ruleEntries.entries()) {
      const read = RuleSchema.safeParse(value);
      const unknown = read.success
        ? read.data.to.find((name) => !targets.has(name) && name !== DESKTOP.name)
        : undefined;
      if (at >= MAX_RULES) refuse(['rules', at], `exceeds the limit of ${MAX_RULES} rules`);
      else if (!read.success)
        for (const issue of read.error.issues) refuse(['rules', at, ...pathOf(issue)], issue.message);
      else if (unknown !== undefined) refuse(['rules', at, 'to'], `has unknown target "${unknown}"`);
      else {
        const { quietHours, when = DEFAULT_STATES, ...rest } = read.data;
        const quiet = quietHours === undefined ? null : parseQuietHours(quietHours);
        rules.push({ inQuietHours: 'hold', ...rest, when, ...(quiet ? { quietHours: quiet } : {}) });
        written.push(read.data);
      }
    }
  if (rules.some(({ to }) => to.includes(DESKTOP.name)) && !targets.has(DESKTOP.name)) targets.set('desktop', DESKTOP);
  return { settings, issues };
}

function pathOf({ path }: z.core.$ZodIssue): (string | number)[] {
  return path.map((part) => (typeof part === 'symbol' ? String(part) : part));
}
