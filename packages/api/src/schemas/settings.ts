import { z } from 'zod';
import { LineSchema, PathSchema } from './common.ts';
import { BudgetRuleSchema, OnLimitSchema } from './limit.ts';
import { NotifyRuleSchema, NotifyTargetSchema } from './notification.ts';

/** Effective daemon settings. 0: no limit. */
export const DaemonSettingsSchema = z.object({
  file: z.string().describe("The user's configuration file."),
  revision: z.string().describe('Version of the `daemon` section: an update that names an outdated one is rejected.'),
  retentionMs: z.number().describe('`daemon.retention`: ended sessions are deleted after this time.'),
  retentionBytes: z
    .number()
    .describe('`daemon.retentionBytes`: the oldest ended sessions are deleted until the rest fits.'),
  storeContent: z.boolean().describe('`daemon.storeContent`: whether the content of sessions is stored.'),
  parkAfterMs: z.number().describe('`daemon.parkAfter`: a session is parked after being idle for this time.'),
  maxLiveSessions: z.int().describe('`daemon.maxLiveSessions`: maximum number of running agent processes.'),
  onLimit: OnLimitSchema.describe('`daemon.onLimit`: for sessions without their own setting.'),
  continuation: z
    .object({
      hours: z.string().nullable().describe('Null: at any time.'),
      maxPerDay: z.int(),
      staggerMs: z.number(),
      message: z.string(),
    })
    .describe('`daemon.continuation`: how sessions continue automatically.'),
  budgets: z.array(BudgetRuleSchema).describe('`daemon.budgets`'),
  notify: z
    .object({
      targets: z.array(
        NotifyTargetSchema.extend({
          secretFile: z
            .string()
            .nullable()
            .describe('File with the secret of a webhook. The secret itself is never returned.'),
          secretEnv: z.string().nullable().describe('Or the environment variable with the secret.'),
        }),
      ),
      rules: z.array(NotifyRuleSchema),
    })
    .describe('`daemon.notify`, without URLs, arguments and secrets.'),
  pending: z
    .array(z.string())
    .describe(
      'Fields whose value in the file differs: they apply after a restart; all except `port` also after the next update.',
    ),
  overridden: z.array(z.string()).describe('Fields overridden by a flag or environment variable.'),
  problems: z.array(z.string()).describe('Issues in the file, with line numbers.'),
});
export type DaemonSettingsView = z.infer<typeof DaemonSettingsSchema>;

const DurationSchema = z
  .string()
  .regex(/^(\d{1,6}(ms|s|m|h|d)){1,5}$/, 'must be a duration such as "30m", "12h" or "0s"');
const HoursSchema = z
  .string()
  .regex(/^([01]?\d|2[0-3]):[0-5]\d-([01]?\d|2[0-3]):[0-5]\d$/, 'must be a part of the day such as "08:00-22:00"');

/** An omitted field of an existing target is unchanged: its URL, arguments, secret. */
export const NotifyTargetPatchSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('desktop') }),
  z.strictObject({
    type: z.literal('webhook'),
    url: z
      .string()
      .max(2000)
      .regex(/^https?:\/\/[^\s]+$/, 'must be an http or https URL')
      .optional(),
    secret: z
      .string()
      .regex(/^[!-~]{16,500}$/, 'must have 16 to 500 characters, without spaces')
      .optional()
      .describe('Signs the payload. Stored in a file only you can read; never returned.'),
    secretFile: PathSchema.optional().describe('File with the secret.'),
    secretEnv: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'must be the name of a variable, not its value')
      .optional(),
  }),
  z.strictObject({
    type: z.literal('command'),
    command: z
      .array(LineSchema(10_000))
      .min(1)
      .max(200)
      .optional()
      .describe('The program and its arguments; no shell.'),
  }),
]);
export type NotifyTargetPatch = z.infer<typeof NotifyTargetPatchSchema>;

/** Settings as in the file. Omitted fields are unchanged; null resets to the default. */
export const SettingsPatchSchema = z.strictObject({
  revision: z
    .string()
    .max(100)
    .optional()
    .describe('Version of the settings being edited: rejected if the file has changed since. Default: overwrite.'),
  retention: DurationSchema.nullable().optional(),
  retentionBytes: z.int().min(0).nullable().optional(),
  storeContent: z.boolean().nullable().optional(),
  parkAfter: DurationSchema.nullable().optional(),
  maxLiveSessions: z.int().min(1).max(1000).nullable().optional(),
  onLimit: OnLimitSchema.nullable().optional(),
  continuation: z
    .strictObject({
      hours: HoursSchema.nullable().optional(),
      maxPerDay: z.int().min(1).max(10_000).nullable().optional(),
      stagger: DurationSchema.nullable().optional(),
      message: z.string().min(1).max(10_000).nullable().optional(),
    })
    .optional(),
  budgets: z.array(BudgetRuleSchema).max(100).nullable().optional().describe('The complete list.'),
  notify: z
    .strictObject({
      targets: z
        .record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/), NotifyTargetPatchSchema.nullable())
        .optional()
        .describe('Only the named targets are changed; null removes one.'),
      rules: z.array(NotifyRuleSchema).max(100).nullable().optional().describe('The complete list, in order.'),
    })
    .optional(),
});
export type SettingsPatch = z.infer<typeof SettingsPatchSchema>;
