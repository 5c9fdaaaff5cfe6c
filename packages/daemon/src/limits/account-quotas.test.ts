import type { AgentEvent } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { AccountQuotas } from './account-quotas.ts';

const NOW = Date.UTC(2026, 10, 16);
const HOUR = 3_600_000;
const at = { agent: 'x', runId: 'r', turnIndex: 0, seq: 0, timestamp: NOW };

function createQuotas(stored: unknown = undefined) {
  const records = stored === undefined ? [] : [{ key: 'account', value: stored, updatedAt: NOW }];
  return new AccountQuotas({
    putRecord: async () => {},
    listRecords: async (kind) => (kind === 'quota' ? records : []),
  });
}

describe('AccountQuotas', () => {
  it.each([1e308, 8.64e15, Number.POSITIVE_INFINITY, Number.NaN, -5, NOW + 400 * 24 * HOUR])(
    'does not pause an account forever for a reset time of %d',
    async (resetsAt) => {
      const exhausted = { window: 'five_hour', usedPercent: 100, resetsAt, exhausted: true };
      const events: AgentEvent[] = [
        { type: 'rate_limit_error', message: 'no', retrying: false, resetsAt, ...at },
        { type: 'rate_limit_status', limited: true, windows: [exhausted], ...at },
      ];
      for (const event of events) {
        const quotas = createQuotas();
        await quotas.learn('account', [event], NOW);
        expect(quotas.pausedUntil('account', NOW)).toBe(NOW + 60_000);
        expect(quotas.pausedUntil('account', NOW + HOUR)).toBeNull();
      }
    },
  );

  it('pauses an account until a plausible reset time', async () => {
    const quotas = createQuotas();
    await quotas.learn(
      'account',
      [{ type: 'rate_limit_error', message: 'no', retrying: false, resetsAt: NOW + HOUR, ...at }],
      NOW,
    );
    expect(quotas.pausedUntil('account', NOW)).toBe(NOW + HOUR);
  });

  it('releases a pause stored by an earlier version', async () => {
    const window = { window: 'requests', usedPercent: null, resetsAt: 8.64e15, exhausted: true };
    const quotas = createQuotas({
      ...{ agent: 'x', limited: true, windows: [window], earliestResetAt: 8.64e15, asOf: NOW, source: 'stream' },
    });
    await quotas.open();
    expect(quotas.pausedUntil('account', NOW + HOUR)).toBeNull();
  });
});
