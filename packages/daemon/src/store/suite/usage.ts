import { expect, it } from 'vitest';
import type { UsageDelta } from '../store.ts';
import type { OpenForTest } from '../store-suite.ts';
import { createCommit, createSession } from './fixtures.ts';
import { useStore } from './use-store.ts';

function createDelta(options: Partial<UsageDelta> & { input?: number; output?: number | null }): UsageDelta {
  const { input = 10, output = 1, ...rest } = options;
  return {
    day: '2026-11-16',
    agent: 'demo',
    model: 'small',
    project: '/p',
    usage: { inputTokens: input, outputTokens: output, cacheReadTokens: 2, cacheCreationTokens: 3, totalTokens: null },
    costUsd: 0.5,
    estimated: false,
    ...rest,
  };
}

export function describeUsage(open: OpenForTest): void {
  const store = useStore(open);
  const addTo = async (id: string, ...usage: UsageDelta[]) => {
    const session = (await store().getSession(id)) ?? (await store().insertSession(createSession(id)));
    await store().commit([createCommit(id, session.lastSeq + 1, session.lastSeq + 1, { usage })]);
  };

  it('is summed, with known and unknown costs apart', async () => {
    await addTo('a', createDelta({}), createDelta({ output: null, costUsd: null }));
    await addTo('a', createDelta({ costUsd: 0.25, estimated: true }));
    await addTo('a', createDelta({ costUsd: 0 }));
    expect(await store().readUsage({ by: 'agent' })).toEqual([
      {
        key: 'demo',
        inputTokens: 40,
        outputTokens: 3,
        cacheReadTokens: 8,
        cacheCreationTokens: 12,
        costUsd: 0.75,
        estimatedUsd: 0.25,
        unpricedCalls: 1,
      },
    ]);
  });

  it('is grouped by day, agent, model, project or session, with filters', async () => {
    await addTo('a', createDelta({ input: 1 }), createDelta({ input: 2, day: '2026-11-17', model: 'large' }));
    await addTo('b', createDelta({ input: 4, agent: 'other', project: '/q' }));
    const sums = async (query: Parameters<ReturnType<typeof store>['readUsage']>[0]) =>
      (await store().readUsage(query)).map(({ key, inputTokens }) => [key, inputTokens]);
    expect(await sums({ by: 'day' })).toEqual([
      ['2026-11-16', 5],
      ['2026-11-17', 2],
    ]);
    expect(await sums({ by: 'agent' })).toEqual([
      ['demo', 3],
      ['other', 4],
    ]);
    expect(await sums({ by: 'model' })).toEqual([
      ['large', 2],
      ['small', 5],
    ]);
    expect(await sums({ by: 'project' })).toEqual([
      ['/p', 3],
      ['/q', 4],
    ]);
    expect(await sums({ by: 'session' })).toEqual([
      ['a', 3],
      ['b', 4],
    ]);
    expect(await sums({ by: 'agent', from: '2026-11-17' })).toEqual([['demo', 2]]);
    expect(await sums({ by: 'agent', to: '2026-11-16', agent: 'demo' })).toEqual([['demo', 1]]);
    expect(await sums({ by: 'day', project: '/q' })).toEqual([['2026-11-16', 4]]);
    expect(await sums({ by: 'day', sessionId: 'b' })).toEqual([['2026-11-16', 4]]);
    expect(await sums({ by: 'day', agent: 'missing' })).toEqual([]);
  });

  it('stays in all totals when its sessions are deleted', async () => {
    await addTo('a', createDelta({ input: 1 }));
    await addTo('b', createDelta({ input: 2 }));
    await addTo('c', createDelta({ input: 4 }));
    const before = await store().readUsage({ by: 'day' });
    await store().deleteSession('a');
    await store().deleteSession('b');
    expect(await store().readUsage({ by: 'day' })).toEqual(before);
    expect(await store().readUsage({ by: 'session' })).toMatchObject([
      { key: '', inputTokens: 3, costUsd: 1 },
      { key: 'c', inputTokens: 4 },
    ]);
  });

  it('ignores invalid numbers', async () => {
    await addTo('a', createDelta({ input: Number.NaN }), createDelta({ input: 1.6 }));
    expect(await store().readUsage({ by: 'day' })).toMatchObject([{ inputTokens: 2 }]);
  });
}
