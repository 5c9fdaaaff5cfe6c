import { describe, expect, it } from 'vitest';
import { ClockGuard } from './retention.ts';

const HOUR = 3_600_000;

function world(lastSeen?: number) {
  const clocks = { wall: 1_000 * 24 * HOUR, steady: 0 };
  const records = new Map<string, unknown>(lastSeen === undefined ? [] : [['last-seen', lastSeen]]);
  const store = {
    getRecord: async (_: string, key: string) => records.get(key),
    putRecord: async (_: string, key: string, value: unknown) => void records.set(key, value),
  };
  const guard = new ClockGuard({ now: () => clocks.wall, steady: () => clocks.steady });
  const pass = (ms: number) => {
    clocks.wall += ms;
    clocks.steady += ms;
  };
  return { clocks, guard, store, pass, records };
}

describe('nothing is dropped because of a clock', () => {
  it('that goes as it should: then what is old may go', async () => {
    const { guard, store, pass, records, clocks } = world();
    pass(HOUR);
    expect(await guard.mayTrust(store)).toBe(true);
    expect(records.get('last-seen')).toBe(clocks.wall);
  });

  it.each([10 * 365 * 24 * HOUR, -24 * HOUR])('that is set by %d ms while the daemon runs', async (jump) => {
    const { guard, store, pass, clocks } = world();
    pass(HOUR);
    clocks.wall += jump;
    expect(await guard.mayTrust(store)).toBe(false);
  });

  it.each([400 * 24 * HOUR, 2_000 * 24 * HOUR])(
    'that was set while no daemon ran, until a day has passed',
    async (lastSeen) => {
      const { guard, store, pass } = world(lastSeen);
      pass(HOUR);
      expect(await guard.mayTrust(store)).toBe(false);
      pass(24 * HOUR);
      expect(await guard.mayTrust(store)).toBe(true);
    },
  );
});
