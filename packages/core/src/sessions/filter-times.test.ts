import { describe, expect, it } from 'vitest';
import { filesOf, StoringAdapter } from '../../test/session-agents.ts';
import { sessionHome } from '../../test/session-home.ts';
import { resolveFilter } from './filter-times.ts';

const NOW = Date.UTC(2026, 0, 31, 12);

describe('times of a session query', () => {
  it.each([
    ['epoch milliseconds', NOW - 1000, NOW - 1000],
    ['a Date', new Date(NOW - 2000), NOW - 2000],
    ['a duration', '36h', NOW - 36 * 3_600_000],
    ['a date with a time zone', '2026-01-30T00:00:00Z', Date.UTC(2026, 0, 30)],
    ['a local date', '2026-01-30', new Date(2026, 0, 30).getTime()],
  ])('are parsed from %s', (_, options, time) => {
    expect(resolveFilter({ since: options, until: options }, NOW)).toEqual({ since: time, until: time });
  });

  it('are reported together with all other issues', () => {
    const wrong = { since: 'yesterday', until: new Date(Number.NaN), limit: -1 };
    expect(() => resolveFilter(wrong)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        issues: ['since', 'until', 'limit'].map((field) => ({ field, problem: expect.any(String) })),
      }),
    );
  });

  it('select sessions in a list, a search and the costs', async () => {
    const home = sessionHome();
    home.write('acme', 'one', [{ user: 'hello' }, { assistant: 'hi there' }]);
    const { sessions } = home.client(new StoringAdapter('acme', filesOf('acme')));
    const ids = async (since: string | Date) =>
      (await sessions.list({ since })).sessions.map(({ sessionId }) => sessionId);
    expect(await ids(new Date(0))).toEqual(['one']);
    expect(await ids(new Date(Date.now() + 60_000))).toEqual([]);
    expect((await sessions.search('hello', { since: new Date(0) })).hits).toHaveLength(1);
    await expect(sessions.costs({ by: 'agent', since: 'soon' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
