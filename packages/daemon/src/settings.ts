import { type ConfigFault, faultAt, type LoadedConfig, parseDuration } from '@agent-mux/core';
import { z } from 'zod';

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
}

export const DEFAULT_SETTINGS: DaemonSettings = {
  port: 7433,
  idleParkMs: 30 * 60_000,
  maxLiveSessions: 50,
  maxRuntimeMs: 0,
  maxOutputBytes: 1024 ** 3,
  inlineChars: 32_768,
  storeActivity: true,
  keepMs: 90 * 24 * 3600_000,
  keepBytes: 5 * 1024 ** 3,
};

const Duration = z.string().transform((text, context) => {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  context.addIssue({ code: 'custom', message: 'must be a duration such as "30m", "12h" or "0s"' });
  return z.NEVER;
});
const Bytes = z.int().min(0);

/** As people write it: durations in words, sizes in bytes. */
const DaemonSection = z.strictObject({
  port: z.int().min(0).max(65_535).optional(),
  idlePark: Duration.optional(),
  maxLiveSessions: z.int().min(1).max(1000).optional(),
  maxRuntime: Duration.optional(),
  maxOutputBytes: Bytes.optional(),
  inlineChars: z.int().min(1024).max(1_000_000).optional(),
  storeActivity: z.boolean().optional(),
  keep: Duration.optional(),
  keepBytes: Bytes.optional(),
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
  const { idlePark, maxRuntime, keep, notify: _, ...rest } = read.data;
  const given = { ...rest, idleParkMs: idlePark, maxRuntimeMs: maxRuntime, keepMs: keep };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { settings: { ...DEFAULT_SETTINGS, ...set }, faults: [] };
}
