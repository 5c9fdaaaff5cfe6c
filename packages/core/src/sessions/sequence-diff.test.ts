import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIFF_STEP_LIMIT, type DiffStep, diffSequences } from './sequence-diff.ts';

const same = (item: string) => item;
const before = (steps: DiffStep<string>[]) =>
  steps.flatMap((step) => (step.sign === ' ' ? [step.before] : step.sign === '-' ? [step.item] : []));
const after = (steps: DiffStep<string>[]) =>
  steps.flatMap((step) => (step.sign === ' ' ? [step.after] : step.sign === '+' ? [step.item] : []));
const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });

describe('sequence diff', () => {
  it('contains both sequences completely', () => {
    fc.assert(
      fc.property(letters, letters, (a, b) => {
        const steps = diffSequences(a, b, same);
        expect(before(steps)).toEqual(a);
        expect(after(steps)).toEqual(b);
      }),
    );
  });

  it('has as few changes as possible', () => {
    fc.assert(
      fc.property(letters, letters, (a, b) => {
        const common = diffSequences(a, b, same).filter(({ sign }) => sign === ' ').length;
        expect(common).toBe(longestCommon(a, b));
      }),
    );
  });

  it('replaces everything for long sequences without common parts', () => {
    const a = Array.from({ length: DIFF_STEP_LIMIT + 1 }, (_, i) => `a${i}`);
    const b = Array.from({ length: DIFF_STEP_LIMIT + 1 }, (_, i) => `b${i}`);
    const steps = diffSequences(['x', ...a], ['x', ...b], same);
    expect(before(steps)).toEqual(['x', ...a]);
    expect(after(steps)).toEqual(['x', ...b]);
    expect(steps.slice(0, 3).map(({ sign }) => sign)).toEqual([' ', '-', '-']);
  });
});

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const one of a) {
    const next = [0];
    b.forEach((other, j) => {
      next.push(one === other ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0));
    });
    row = next;
  }
  return row.at(-1) ?? 0;
}
