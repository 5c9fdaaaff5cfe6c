import { createHash } from 'node:crypto';
import type { ScheduleRun } from '@agent-mux/api';
import { DaemonError } from '../daemon-error.ts';

/** Deterministic, so that a run creates its session only once. */
export function sessionIdOf({ id }: Pick<ScheduleRun, 'id'>): string {
  return `s${createHash('sha256').update(`schedule ${id}`).digest('hex').slice(0, 15)}`;
}

export function newRun({ id, dueAt, by, now }: { id: string; dueAt: number; by: string; now: number }): ScheduleRun {
  const open = { endedAt: null, state: 'starting', activity: null, error: null } as const;
  return { id, dueAt, startedAt: now, by, sessionId: sessionIdOf({ id }), ...open };
}

export function skip(run: ScheduleRun, code: string, message: string): ScheduleRun {
  return { ...run, state: 'skipped', sessionId: null, endedAt: run.startedAt, error: { code, message } };
}

export function formatMissed(missed: number): string {
  const what = missed === 1 ? 'one run was due' : `${missed} runs were due`;
  return `${what} while the daemon was off, the machine slept, or the clock was set`;
}

export function valuesOf(names: readonly string[], env: NodeJS.ProcessEnv): Record<string, string> {
  const missing = names.filter((name) => env[name] === undefined);
  if (missing.length > 0)
    throw new DaemonError('MISSING_ENV', `missing in the daemon's environment: ${missing.join(', ')}`, {
      hint: 'set it, then run "amux down" and "amux up", or create the schedule without it',
    });
  return Object.fromEntries(names.map((name) => [name, env[name] ?? '']));
}
