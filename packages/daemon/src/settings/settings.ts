import type { OnLimit } from '@agent-mux/api';
import { type BudgetRule, BudgetRuleSchema, OnLimitSchema } from '@agent-mux/api/schemas';
import { type ConfigIssue, issueAt, type LoadedConfig, parseDuration } from '@agent-mux/core';
import { z } from 'zod';
import { parseHours } from '../limits/days.ts';
import type { Rules } from '../limits/plan-continuations.ts';

/** Settings of the daemon, from the user's config file. */
export interface DaemonSettings {
  /** The address is always 127.0.0.1; 0 selects a free port. */
  port: number;
  /** Idle time after which a session is parked; 0: never. */
  parkAfterMs: number;
  /** Maximum number of agent processes. */
  maxLiveSessions: number;
  /** Limit of one launch; 0: none. */
  maxRuntimeMs: number;
  /** Maximum time from the start of an agent to its open session. */
  handshakeMs: number;
  /** Limit of the journaled events of one launch; 0: none. */
  maxOutputBytes: number;
  /** Longer strings are stored in the blob store. */
  maxInlineChars: number;
  /** False: only events about the session state are stored, not its content. */
  storeContent: boolean;
  /** Ended sessions are deleted after this time; 0: never. */
  retentionMs: number;
  /** The oldest sessions are deleted above this size; 0: no limit. */
  retentionBytes: number;
  /** Default of `onLimit` of a session. */
  onLimit: OnLimit;
  /** How sessions continue automatically. */
  continuation: Rules & {
    /** Message sent to a session that was stopped in the middle of a turn. */
    message: string;
  };
  budgets: readonly BudgetRule[];
  /** Query Anthropic for the usage limits of the login, with the user's token. */
  queryClaudeUsage: boolean;
}

export const DEFAULT_SETTINGS: DaemonSettings = {
  port: 7433,
  parkAfterMs: 30 * 60_000,
  maxLiveSessions: 50,
  maxRuntimeMs: 0,
  handshakeMs: 60_000,
  maxOutputBytes: 1024 ** 3,
  maxInlineChars: 32_768,
  storeContent: true,
  retentionMs: 90 * 24 * 3600_000,
  retentionBytes: 5 * 1024 ** 3,
  onLimit: 'pause',
  continuation: { staggerMs: 20_000, maxPerDay: 24, hours: null, message: 'Continue where you left off.' },
  budgets: [],
  queryClaudeUsage: false,
};

const Duration = z.string().transform((text, context) => {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  context.addIssue({ code: 'custom', message: 'must be a duration such as "30m", "12h" or "0s"' });
  return z.NEVER;
});
const Bytes = z.int().min(0);
const HoursOfDay = z.string().transform((text, context) => {
  const hours = parseHours(text);
  if (hours !== undefined) return hours;
  context.addIssue({ code: 'custom', message: 'must be a time range such as "08:00-22:00" or "22:00-06:00"' });
  return z.NEVER;
});
const Limits = z.strictObject({
  stagger: Duration.optional(),
  maxPerDay: z.int().min(1).max(10_000).optional(),
  hours: HoursOfDay.optional(),
  message: z.string().trim().min(1).max(10_000).optional(),
});
/** As written in the file: durations as text, sizes in bytes. */
const DaemonSection = z.strictObject({
  port: z.int().min(0).max(65_535).optional(),
  parkAfter: Duration.optional(),
  maxLiveSessions: z.int().min(1).max(1000).optional(),
  maxRuntime: Duration.optional(),
  handshakeTimeout: Duration.refine((ms) => ms >= 1000, 'must be at least "1s"').optional(),
  maxOutputBytes: Bytes.optional(),
  maxInlineChars: z.int().min(1024).max(1_000_000).optional(),
  storeContent: z.boolean().optional(),
  retention: Duration.optional(),
  retentionBytes: Bytes.optional(),
  onLimit: OnLimitSchema.optional(),
  continuation: Limits.optional(),
  budgets: z.array(BudgetRuleSchema).max(100).optional(),
  queryClaudeUsage: z.boolean().optional(),
  /** Parsed separately (`notify/notify-settings.ts`), so that an invalid rule affects only itself. */
  notify: z.unknown().optional(),
});

/** Returns the defaults and issues with their lines if the section is invalid. */
export function readSettings({ daemon }: Pick<LoadedConfig, 'daemon'>): {
  settings: DaemonSettings;
  issues: ConfigIssue[];
} {
  if (!daemon) return { settings: DEFAULT_SETTINGS, issues: [] };
  const { document, value } = daemon;
  const read = DaemonSection.safeParse(value);
  if (!read.success) {
    const issues = read.error.issues.map(({ path, message }) =>
      issueAt(document, ['daemon', ...path.map((part) => (typeof part === 'symbol' ? String(part) : part))], message),
    );
    return { settings: DEFAULT_SETTINGS, issues };
  }
  const {
    parkAfter,
    maxRuntime,
    handshakeTimeout,
    retention,
    notify: _,
    continuation: { stagger, ...continuation } = {},
    ...rest
  } = read.data;
  const options = {
    ...rest,
    parkAfterMs: parkAfter,
    maxRuntimeMs: maxRuntime,
    handshakeMs: handshakeTimeout,
    retentionMs: retention,
  };
  const governing = { ...continuation, staggerMs: stagger };
  return {
    settings: {
      ...DEFAULT_SETTINGS,
      ...withoutUndefined(options),
      continuation: { ...DEFAULT_SETTINGS.continuation, ...withoutUndefined(governing) },
    },
    issues: [],
  };
}

function withoutUndefined<Fields extends object>(
  options: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof withoutUndefined<Fields>
  >;
}
