import { type NOTIFIED_STATES, type NotifyRule, NotifyRuleSchema } from '@agent-mux/api/schemas';
import { type ConfigFault, faultAt, isRecord, type LoadedConfig } from '@agent-mux/core';
import { z } from 'zod';
import { parseQuietHours, type QuietHours } from './quiet-hours.ts';

export type Target =
  | { name: string; type: 'desktop' }
  | { name: string; type: 'webhook'; url: string; secretFile?: string | undefined; secretEnv?: string | undefined }
  | { name: string; type: 'command'; command: readonly string[] };

export type NotifiedState = (typeof NOTIFIED_STATES)[number];

/** Which news go where. A field that is left out holds for everything. */
export interface Rule {
  when: readonly NotifiedState[];
  agents?: readonly string[] | undefined;
  /** Folders with all that is below them, or the name of a folder. */
  projects?: readonly string[] | undefined;
  to: readonly string[];
  quietHours?: QuietHours | undefined;
  inQuietHours: 'hold' | 'drop';
}

export interface NotifySettings {
  targets: ReadonlyMap<string, Target>;
  rules: readonly Rule[];
  /** The rules as they stand in the file. */
  written: readonly NotifyRule[];
}

/** It needs nothing to be said about it, so that a rule may name it without more. */
export const DESKTOP: Target = { name: 'desktop', type: 'desktop' };

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/;
const MOST_TARGETS = 50;
const MOST_RULES = 100;
const Text = (max: number) => z.string().min(1).max(max);

const UrlSchema = Text(2000).superRefine((text, context) => {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) context.addIssue('must be an address of http or https');
  else if (url.username || url.password) context.addIssue('must have no name and password in it; the secret signs');
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
        .regex(/^[A-Za-z_]\w{0,199}$/, 'must be the name of a variable, not its value')
        .optional(),
    })
    .refine(
      ({ secretFile, secretEnv }) => (secretFile === undefined) !== (secretEnv === undefined),
      'needs secretFile or secretEnv, one of them: what is sent is signed with it',
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
      .refine(([program]) => program !== '', 'must begin with a program'),
  }),
]);

const RuleSchema = NotifyRuleSchema.extend({
  quietHours: z
    .string()
    .refine((text) => parseQuietHours(text) !== null, 'must be two times of day such as "22:00-07:00"')
    .optional(),
});

/** Where a rule says nothing: what waits for a person. */
const USUAL: readonly NotifiedState[] = ['blocked', 'waiting_input', 'limited', 'failed'];

/** What is good counts; a target or a rule that is not is left out, and is a fault with its line. */
export function readNotifySettings({ daemon }: Pick<LoadedConfig, 'daemon'>): {
  settings: NotifySettings;
  faults: ConfigFault[];
} {
  const faults: ConfigFault[] = [];
  const targets = new Map<string, Target>();
  const rules: Rule[] = [];
  const written: NotifyRule[] = [];
  const settings = { targets, rules, written };
  const section = isRecord(daemon?.value) ? daemon.value.notify : undefined;
  if (!daemon || section === undefined) return { settings, faults };
  const at = ['daemon', 'notify'];
  const refuse = (path: readonly (string | number)[], problem: string) =>
    void faults.push(faultAt(daemon.document, [...at, ...path], problem));
  if (!isRecord(section)) {
    refuse([], 'must be an object with targets and rules');
    return { settings, faults };
  }
  for (const key of Object.keys(section))
    if (key !== 'targets' && key !== 'rules') refuse([key], 'is not known here; there are targets and rules');

  const { targets: givenTargets = {}, rules: givenRules = [] } = section;
  if (!isRecord(givenTargets)) refuse(['targets'], 'must be an object of targets by name');
  else
    for (const [at, [name, value]] of Object.entries(givenTargets).entries()) {
      const read = TargetSchema.safeParse(value);
      if (!NAME.test(name)) refuse(['targets', name], 'must have a name of letters, digits, - and _');
      else if (at >= MOST_TARGETS) refuse(['targets', name], `is one more than ${MOST_TARGETS}, which is the limit`);
      else if (read.success) targets.set(name, { name, ...read.data });
      else for (const issue of read.error.issues) refuse(['targets', name, ...pathOf(issue)], issue.message);
    }
  if (!Array.isArray(givenRules)) refuse(['rules'], 'must be a list');
  else
    for (const [at, value] of givenRules.entries()) {
      const read = RuleSchema.safeParse(value);
      const unknown = read.success
        ? read.data.to.find((name) => !targets.has(name) && name !== DESKTOP.name)
        : undefined;
      if (at >= MOST_RULES) refuse(['rules', at], `is one more than ${MOST_RULES}, which is the limit`);
      else if (!read.success)
        for (const issue of read.error.issues) refuse(['rules', at, ...pathOf(issue)], issue.message);
      else if (unknown !== undefined) refuse(['rules', at, 'to'], `names "${unknown}", and there is no such target`);
      else {
        const { quietHours, when = USUAL, ...rest } = read.data;
        const quiet = quietHours === undefined ? null : parseQuietHours(quietHours);
        rules.push({ inQuietHours: 'hold', ...rest, when, ...(quiet ? { quietHours: quiet } : {}) });
        written.push(read.data);
      }
    }
  if (rules.some(({ to }) => to.includes(DESKTOP.name)) && !targets.has(DESKTOP.name)) targets.set('desktop', DESKTOP);
  return { settings, faults };
}

function pathOf({ path }: z.core.$ZodIssue): (string | number)[] {
  return path.map((part) => (typeof part === 'symbol' ? String(part) : part));
}
