import type { SessionEvent } from '@agent-mux/api';
import type { EventBody } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { clearIdentity, readIdentity, saveIdentity } from './reported.ts';

type Reporting = Extract<EventBody, { type: 'session_start' | 'message_start' | 'cost' }>;

const event = (body: Reporting): SessionEvent => ({
  agent: 'demo',
  runId: 'r',
  turnIndex: 0,
  seq: 0,
  timestamp: 1,
  ...body,
});

const cost = (model: string): SessionEvent =>
  event({
    type: 'cost',
    usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheCreationTokens: 0, totalTokens: 2 },
    costUsd: null,
    scope: 'turn',
    source: 'reported',
    model,
  });

function records() {
  const stored = new Map<string, unknown>();
  let writes = 0;
  return {
    get writes() {
      return writes;
    },
    getRecord: async (_kind: string, key: string) => stored.get(key),
    putRecord: async (_kind: string, key: string, value: unknown) => {
      writes += 1;
      stored.set(key, JSON.parse(JSON.stringify(value)));
    },
  };
}

describe('agent identity', () => {
  const start = event({ type: 'session_start', model: 'alias', permissionMode: 'ask' });

  it('keeps what the first launch reported', async () => {
    const store = records();
    await saveIdentity(store, 's', [start, event({ type: 'session_start', model: 'other' })]);
    expect(await readIdentity(store, 's')).toEqual({ model: 'alias', permissionMode: 'ask' });
  });

  it('collects every model name that the agent uses, each stored once', async () => {
    const store = records();
    const ofSubagent = event({ type: 'message_start', model: 'small', parentToolCallId: 't' });
    await saveIdentity(store, 's', [start, cost('resolved'), cost('resolved'), ofSubagent]);
    expect(await readIdentity(store, 's')).toMatchObject({ model: 'alias', modelNames: ['resolved'] });
    expect(store.writes).toBe(2);
  });

  it('stores a limited number of names', async () => {
    const store = records();
    await saveIdentity(store, 's', [start, ...Array.from({ length: 20 }, (_, index) => cost(`m-${index}`))]);
    expect((await readIdentity(store, 's')).modelNames).toHaveLength(8);
  });

  it('forgets all names of a model that was changed', async () => {
    const store = records();
    await saveIdentity(store, 's', [start, cost('resolved')]);
    await clearIdentity(store, 's', ['model'], 2);
    expect(await readIdentity(store, 's')).toEqual({ permissionMode: 'ask' });
  });
});
