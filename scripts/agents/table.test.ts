import { describe, expect, it } from 'vitest';
import { countOf, type Outcome, outcomeTable } from './table.ts';

const outcome = (id: string, more: Partial<Outcome>): Outcome => ({
  ...{ agent: 'gemini', mode: 'acp', carrier: 'process', case: id, ok: true, ms: 1000, folder: '', flaky: false },
  ...more,
});
const outcomes = [
  outcome('hello', {}),
  outcome('tool', { notAsserted: ["a tool's output reaches the caller"] }),
  outcome('abort', { ok: false, error: 'left behind' }),
];

describe('counts of outcomes', () => {
  it('do not count a case with a disabled assertion as passed', () => {
    expect(countOf(outcomes)).toEqual({ passed: 1, partly: 1, failed: 1 });
  });

  it('mark such a case in the table', () => {
    const lines = outcomeTable(outcomes).split('\n');
    expect(lines.find((line) => line.startsWith('tool'))).toContain('partly 1.0');
    expect(lines.find((line) => line.startsWith('abort'))).toContain('FAIL 1.0');
  });
});
