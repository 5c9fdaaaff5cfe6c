import { expect, it } from 'vitest';
import { hasPassed, type RoundOutcome, roundTable } from './report.ts';

const round = (more: Partial<RoundOutcome>): RoundOutcome => ({
  seed: 1,
  kind: 'daemon',
  sessions: [],
  faults: [],
  ms: 1,
  story: [],
  folder: '',
  ...more,
});

it('counts sessions by killed process and agent, with the longest recovery', () => {
  const table = roundTable([
    round({
      sessions: [
        { agent: 'claude', faults: [], recoveryMs: 1200 },
        { agent: 'demo', faults: [], recoveryMs: null },
      ],
    }),
    round({ sessions: [{ agent: 'claude', faults: ['lost'], recoveryMs: 2500 }] }),
    round({ kind: 'all', sessions: [{ agent: 'demo', faults: [], recoveryMs: 10 }] }),
  ]);
  expect(table.split('\n')).toEqual([
    'killed  agent   sessions  ok  failed  worst recovery',
    'all     demo           1   1       0           0.0 s',
    'daemon  claude         2   1       1           2.5 s',
    'daemon  demo           1   1       0               -',
  ]);
});

it('passes a round if neither it nor its sessions have a violation', () => {
  expect(hasPassed(round({}))).toBe(true);
  expect(hasPassed(round({ faults: ['left behind'] }))).toBe(false);
  expect(hasPassed(round({ sessions: [{ agent: 'a', faults: ['x'], recoveryMs: null }] }))).toBe(false);
});
