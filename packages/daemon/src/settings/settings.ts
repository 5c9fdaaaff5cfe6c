import type { OnLimit } from '@agent-mux/api';
import { type BudgetRule, BudgetRuleSchema, OnLimitSchema } from '@agent-mux/api/schemas';
import { type ConfigFault, faultAt, type LoadedConfig, parseDuration } from '@agent-mux/core';
import { z } from 'zod';
import { parseHours } from '../limits/days.ts';
import type { Rules } from '../limits/plan-continuations.ts';

/** What holds for all sessions of a daemon; from the user's configuration file. */
export interface DaemonSettings {
  /** The address is 127.0.0.1 whatever is said; 0: any free port. */
  port: number;
  /** A session that has been idle for so long is parked. 0: never. */
  idleParkMs: number;
  /** So many processes of agents at once. */
  maxLiveSessions: number;
  /** Of one launch; 0: none. */
  maxRuntimeMs: number;
  /** Maximum time from the start of an agent to its open session. */
  handshakeMs: number;
  /** Of journaled events of one launch; 0: none. */
  maxOutputBytes: number;
  /** A longer string is put into the blob store. */
  inlineChars: number;
  /** False: of the events only those are stored that say how a session goes, not what is said in it. */
  storeActivity: boolean;
  /** Ended sessions are dropped after so long; 0: never. */
  keepMs: number;
  /** And the oldest until all of it fits; 0: no limit. */
  keepBytes: number;
  /** What a session does when a limit has stopped it, unless it says so itself. */
  onLimit: OnLimit;
  /** How sessions go on by themselves. */
  limits: Rules & {
    /** What a session is told that was stopped in the middle of its work. */
    message: string;
  };
  budgets: readonly BudgetRule[];
  /** The vendor of Claude is asked for the windows of the login, with the user's own token. */
  claudeUsage: boolean;
}

export const DEFAULT_SETTINGS: DaemonSettings = {
  port: 7433,
  idleParkMs: 30 * 60_000,
  maxLiveSessions: 50,
  maxRuntimeMs: 0,
  handshakeMs: 60_000,
  maxOutputBytes: 1024 ** 3,
  inlineChars: 32_768,
  storeActivity: true,
  keepMs: 90 * 24 * 3600_000,
  keepBytes: 5 * 1024 ** 3,
  onLimit: 'stop',
  limits: { staggerMs: 20_000, maxPerDay: 24, hours: null, message: 'Continue where you left off.' },
  budgets: [],
  claudeUsage: false,
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
  context.addIssue({ code: 'custom', message: 'must be a part of the day such as "08:00-22:00" or "22:00-06:00"' });
  return z.NEVER;
});
const Limits = z.strictObject({
  stagger: Duration.optional(),
  maxContinuationsPerDay: z.int().min(1).max(10_000).optional(),
  hours: HoursOfDay.optional(),
  message: z.string().trim().min(1).max(10_000).optional(),
});
/** As people write it: durations in words, sizes in bytes. */
const DaemonSection = z.strictObject({
  port: z.int().min(0).max(65_535).optional(),
  idlePark: Duration.optional(),
  maxLiveSessions: z.int().min(1).max(1000).optional(),
  maxRuntime: Duration.optional(),
  handshakeTimeout: Duration.refine((ms) => ms >= 1000, 'must be at least "1s"').optional(),
  maxOutputBytes: Bytes.optional(),
  inlineChars: z.int().min(1024).max(1_000_000).optional(),
  storeActivity: z.boolean().optional(),
  keep: Duration.optional(),
  keepBytes: Bytes.optional(),
  onLimit: OnLimitSchema.optional(),
  limits: Limits.optional(),
  budgets: z.array(BudgetRuleSchema).max(100).optional(),
  claudeUsage: z.boolean().optional(),
  /** Read for itself (`notify/notify-settings.ts`): one rule that is wrong costs that rule. */
  notify: z.unknown().optional(),
});

/** What is good counts, what is not is a fault with its line, and the default stands in its place. */
export function readSettings({ daemon }: Pick<LoadedConfig, 'daemon'>): {
  settings: DaemonSettings;
  faults: ConfigFault[];
} {
  if (!daemon) return { settings: DEFAULT_SETTINGS, faults: [] };
  const { document, value } = daemon;
  const read = DaemonSection.safeParse(value);
  if (!read.success) {
    const faults = read.error.issues.map(({ path, message }) =>
      faultAt(document, ['daemon', ...path.map((part) => (typeof part === 'symbol' ? String(part) : part))], message),
    );
    return { settings: DEFAULT_SETTINGS, faults };
  }
  const {
    idlePark,
    maxRuntime,
    handshakeTimeout,
    keep,
    notify: _,
    limits: { stagger, maxContinuationsPerDay, ...limits } = {},
    ...rest
  } = read.data;
  const given = {
    ...rest,
    idleParkMs: idlePark,
    maxRuntimeMs: maxRuntime,
    handshakeMs: handshakeTimeout,
    keepMs: keep,
  };
  const governing = { ...limits, staggerMs: stagger, maxPerDay: maxContinuationsPerDay };
  return {
    settings: {
      ...DEFAULT_SETTINGS,
      ...withoutUndefined(given),
      limits: { ...DEFAULT_SETTINGS.limits, ...withoutUndefined(governing) },
    },
    faults: [],
  };
}

function withoutUndefined<Given extends object>(
  given: Given,
): { [Name in keyof Given]?: Exclude<Given[Name], undefined> } {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof withoutUndefined<Given>
  >;
}
