import { z } from 'zod';
import { LineSchema, PathSchema } from './common.ts';
import { BudgetRuleSchema, OnLimitSchema } from './limit.ts';
import { NotifyRuleSchema, NotifyTargetSchema } from './notification.ts';

/** How the daemon is set up, as it counts now. 0: no limit. */
export const DaemonSettingsSchema = z.object({
  file: z.string().describe("The user's configuration file."),
  revision: z
    .string()
    .describe('Of the part `daemon` of the file: a change that names it is refused where that is another by then.'),
  keepMs: z.number().describe('`daemon.keep`: ended sessions are dropped after so long.'),
  keepBytes: z.number().describe('`daemon.keepBytes`: and the oldest, until all of it fits.'),
  storeActivity: z.boolean().describe('`daemon.storeActivity`: what is said in sessions is stored.'),
  idleParkMs: z.number().describe('`daemon.idlePark`: a session that was idle for so long is parked.'),
  maxLiveSessions: z.int().describe('`daemon.maxLiveSessions`: so many processes of agents at once.'),
  onLimit: OnLimitSchema.describe('`daemon.onLimit`: for sessions that say nothing else.'),
  limits: z
    .object({
      hours: z.string().nullable().describe('Null: at any time.'),
      maxContinuationsPerDay: z.int(),
      staggerMs: z.number(),
      message: z.string(),
    })
    .describe('`daemon.limits`: how sessions go on by themselves.'),
  budgets: z.array(BudgetRuleSchema).describe('`daemon.budgets`'),
  notify: z
    .object({
      targets: z.array(
        NotifyTargetSchema.extend({
          secretFile: z
            .string()
            .nullable()
            .describe('Of a webhook: where its secret is. The secret itself is told to nobody.'),
          secretEnv: z.string().nullable().describe('Or the name of the variable that has it.'),
        }),
      ),
      rules: z.array(NotifyRuleSchema),
    })
    .describe('`daemon.notify`, without addresses, arguments and secrets.'),
  pending: z
    .array(z.string())
    .describe(
      'Fields that stand otherwise in the file: they count after the next start, all but `port` also after the next change.',
    ),
  overridden: z.array(z.string()).describe('Fields that a flag or a variable decides, whatever the file says.'),
  problems: z.array(z.string()).describe('What is wrong in the file, with its line.'),
});
export type DaemonSettingsView = z.infer<typeof DaemonSettingsSchema>;

const DurationSchema = z
  .string()
  .regex(/^(\d{1,6}(ms|s|m|h|d)){1,5}$/, 'must be a duration such as "30m", "12h" or "0s"');
const HoursSchema = z
  .string()
  .regex(/^([01]?\d|2[0-3]):[0-5]\d-([01]?\d|2[0-3]):[0-5]\d$/, 'must be a part of the day such as "08:00-22:00"');

/** What is left out of one that is there stays as it is: its address, its arguments, its secret. */
export const NotifyTargetPatchSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('desktop') }),
  z.strictObject({
    type: z.literal('webhook'),
    url: z
      .string()
      .max(2000)
      .regex(/^https?:\/\/[^\s]+$/, 'must be an address of http or https')
      .optional(),
    secret: z
      .string()
      .regex(/^[!-~]{16,500}$/, 'must have 16 to 500 characters, without spaces')
      .optional()
      .describe('Signs what is sent. Written into a file that only you may read; never told again.'),
    secretFile: PathSchema.optional().describe('A file that has the secret.'),
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

/** As the file has it. What is left out stays; null: the default. */
export const SettingsPatchSchema = z.strictObject({
  revision: z
    .string()
    .max(100)
    .optional()
    .describe(
      'Of the settings that were looked at: refused where somebody has changed the file since. Default: the last word counts.',
    ),
  keep: DurationSchema.nullable().optional(),
  keepBytes: z.int().min(0).nullable().optional(),
  storeActivity: z.boolean().nullable().optional(),
  idlePark: DurationSchema.nullable().optional(),
  maxLiveSessions: z.int().min(1).max(1000).nullable().optional(),
  onLimit: OnLimitSchema.nullable().optional(),
  limits: z
    .strictObject({
      hours: HoursSchema.nullable().optional(),
      maxContinuationsPerDay: z.int().min(1).max(10_000).nullable().optional(),
      stagger: DurationSchema.nullable().optional(),
      message: z.string().min(1).max(10_000).nullable().optional(),
    })
    .optional(),
  budgets: z.array(BudgetRuleSchema).max(100).nullable().optional().describe('All of them.'),
  notify: z
    .strictObject({
      targets: z
        .record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/), NotifyTargetPatchSchema.nullable())
        .optional()
        .describe('Those that are named; null: it is taken out.'),
      rules: z.array(NotifyRuleSchema).max(100).nullable().optional().describe('All of them, in their order.'),
    })
    .optional(),
});
export type SettingsPatch = z.infer<typeof SettingsPatchSchema>;
