import type { AgentEvent } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { AccountBook } from './account-book.ts';

const NOW = Date.UTC(2026, 10, 16);
const HOUR = 3_600_000;
const at = { agent: 'x', runId: 'r', turnIndex: 0, seq: 0, timestamp: NOW };

function newBook(stored: unknown = undefined) {
  const records = stored === undefined ? [] : [{ key: 'account', value: stored, updatedAt: NOW }];
  return new AccountBook({
    putRecord: async () => {},
    listRecords: async (kind) => (kind === 'quota' ? records : []),
  });
}

describe('account', () => {
  it.each([1e308, 8.64e15, Number.POSITIVE_INFINITY, Number.NaN, -5, NOW + 400 * 24 * HOUR])(
    'is not paused for good by a reset time of %d',
    async (resetsAt) => {
      const exhausted = { window: 'five_hour', usedPercent: 100, resetsAt, exhausted: true };
      const events: AgentEvent[] = [
        { type: 'rate_limit_error', message: 'no', retrying: false, resetsAt, ...at },
        { type: 'rate_limit_status', limited: true, windows: [exhausted], ...at },
      ];
      for (const event of events) {
        const book = newBook();
        await book.learn('account', [event], NOW);
        expect(book.pausedUntil('account', NOW)).toBe(NOW + 60_000);
        expect(book.pausedUntil('account', NOW + HOUR)).toBeNull();
      }
    },
  );

  it('is paused until a reset time that a provider may have', async () => {
    const book = newBook();
    await book.learn(
      'account',
      [{ type: 'rate_limit_error', message: 'no', retrying: false, resetsAt: NOW + HOUR, ...at }],
      NOW,
    );
    expect(book.pausedUntil('account', NOW)).toBe(NOW + HOUR);
  });

  it('is released from a pause that an earlier version has stored', async () => {
    const window = { window: 'requests', usedPercent: null, resetsAt: 8.64e15, exhausted: true };
    const book = newBook({
      ...{ agent: 'x', limited: true, windows: [window], earliestResetAt: 8.64e15, asOf: NOW, source: 'stream' },
    });
    await book.open();
    expect(book.pausedUntil('account', NOW + HOUR)).toBeNull();
  });
});
