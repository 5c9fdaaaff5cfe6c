import { describe, expect, it } from 'vitest';
import { meetsTarget } from './row.ts';

describe('meetsTarget', () => {
  it('treats targets of ratios and rates as minimum, others as maximum', () => {
    expect(meetsTarget({ name: 'a', value: 0.9, unit: 'of bare', target: 0.85 })).toBe(true);
    expect(meetsTarget({ name: 'a', value: 0.8, unit: 'of bare', target: 0.85 })).toBe(false);
    expect(meetsTarget({ name: 'a', value: 49_000, unit: 'per s', target: 50_000 })).toBe(false);
    expect(meetsTarget({ name: 'a', value: 1.4, unit: 'x', target: 1.5 })).toBe(true);
    expect(meetsTarget({ name: 'a', value: 201, unit: 'MB', target: 200 })).toBe(false);
  });

  it('compares the displayed value and accepts rows without a target', () => {
    expect(meetsTarget({ name: 'a', value: 0.8496, unit: 'of bare', target: 0.85 })).toBe(true);
    expect(meetsTarget({ name: 'a', value: 99, unit: 'ms' })).toBe(true);
  });
});
