import { describe, expect, it } from 'vitest';
import { meetsTarget } from './row.ts';

describe('a target', () => {
  it('is a least for what is compared with bare and for rates, and a most for everything else', () => {
    expect(meetsTarget({ name: 'a', value: 0.9, unit: 'of bare', target: 0.85 })).toBe(true);
    expect(meetsTarget({ name: 'a', value: 0.8, unit: 'of bare', target: 0.85 })).toBe(false);
    expect(meetsTarget({ name: 'a', value: 49_000, unit: 'per s', target: 50_000 })).toBe(false);
    expect(meetsTarget({ name: 'a', value: 1.4, unit: 'x', target: 1.5 })).toBe(true);
    expect(meetsTarget({ name: 'a', value: 201, unit: 'MB', target: 200 })).toBe(false);
  });

  it('is met by what is shown as meeting it, and by whatever has none', () => {
    expect(meetsTarget({ name: 'a', value: 0.8496, unit: 'of bare', target: 0.85 })).toBe(true);
    expect(meetsTarget({ name: 'a', value: 99, unit: 'ms' })).toBe(true);
  });
});
