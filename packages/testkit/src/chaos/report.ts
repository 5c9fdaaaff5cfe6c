import type { KillKind } from './plan/round-plan.ts';

interface SessionOutcome {
  agent: string;
  faults: readonly string[];
  /** From the kill until the session was recovered; null: it was not affected. */
  recoveryMs: number | null;
}

export interface RoundOutcome {
  seed: number;
  kind: KillKind;
  sessions: readonly SessionOutcome[];
  /** Violations of no session in particular. */
  faults: readonly string[];
  ms: number;
  /** Log of the round, for the report of a failure. */
  story: readonly string[];
  folder: string;
}

export function hasPassed({ faults, sessions }: RoundOutcome): boolean {
  return faults.length === 0 && sessions.every((session) => session.faults.length === 0);
}

interface Cell {
  sessions: number;
  failed: number;
  worstMs: number | null;
}

/** By killed process and agent: number of sessions, failures among them, and the longest recovery. */
export function roundTable(outcomes: readonly RoundOutcome[]): string {
  const cells = new Map<string, Cell>();
  for (const { kind, sessions } of outcomes) {
    for (const { agent, faults, recoveryMs } of sessions) {
      const key = `${kind}\t${agent}`;
      const cell = cells.get(key) ?? { sessions: 0, failed: 0, worstMs: null };
      const worstMs = recoveryMs === null ? cell.worstMs : Math.max(cell.worstMs ?? 0, recoveryMs);
      cells.set(key, { sessions: cell.sessions + 1, failed: cell.failed + (faults.length > 0 ? 1 : 0), worstMs });
    }
  }
  const rows = [...cells]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, { sessions, failed, worstMs }]) => {
      const [kind = '', agent = ''] = key.split('\t');
      return [
        kind,
        agent,
        String(sessions),
        String(sessions - failed),
        String(failed),
        worstMs === null ? '-' : `${(worstMs / 1000).toFixed(1)} s`,
      ];
    });
  return alignColumns([['killed', 'agent', 'sessions', 'ok', 'failed', 'worst recovery'], ...rows]);
}

/** The first two columns are text, the others numbers. */
function alignColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((text, at) => (at < 2 ? text.padEnd(widths[at]!) : text.padStart(widths[at]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
