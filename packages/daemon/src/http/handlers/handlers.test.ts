import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSession } from '../../../test/fake-service.ts';
import { type ServedApi, serveApi } from '../../../test/served-api.ts';
import { createLimit } from '../../store/suite/fixtures.ts';

let api: ServedApi;
beforeAll(async () => {
  api = await serveApi();
});
afterAll(() => api.stop());

const get = async (path: string) => (await api.ask(path)).json();
const post = (path: string, body: unknown) => api.ask(path, { method: 'POST', body });

describe('agents', () => {
  test('are listed, installed or not', async () => {
    const { agents } = (await get('/api/v1/agents')) as {
      agents: { agent: string; installed: boolean; modes: string[] }[];
    };
    expect(agents.find(({ agent }) => agent === 'demo')).toMatchObject({
      installed: true,
      displayName: expect.any(String),
    });
    expect(agents.find(({ agent }) => agent === 'claude')).toMatchObject({
      installed: false,
      modes: expect.arrayContaining(['live']),
    });
  });

  test('report capabilities per mode, install methods and models', async () => {
    const claude = (await get('/api/v1/agents/claude')) as {
      modes: { capabilities: Record<string, unknown> }[];
      install: unknown[];
    };
    expect(claude.modes[0]!.capabilities).toMatchObject({ canResume: true });
    expect(claude.install.length).toBeGreaterThan(0);
    expect(claude).toMatchObject({
      screen: { resumes: true, takesModel: true, takesPrompt: true, approvalModes: expect.arrayContaining(['plan']) },
    });
    expect(await get('/api/v1/agents/demo')).toMatchObject({ screen: null });
    const { models, source } = (await get('/api/v1/agents/claude/models')) as {
      models: { id: string }[];
      source: string;
    };
    expect([models.length > 0, source]).toEqual([true, 'bundled']);
    expect(await get('/api/v1/agents/claude/login')).toMatchObject({
      agent: 'claude',
      steps: expect.any(Array),
      commands: expect.any(Array),
    });
  });

  test('are not found if unknown, with similar names as a hint', async () => {
    for (const path of ['claud', 'claud/models', 'claud/login', '__proto__', 'a%2Fb']) {
      expect([path, (await api.ask(`/api/v1/agents/${path}`)).status]).toEqual([path, 404]);
    }
    expect((await get('/api/v1/agents/claud')).hint).toContain('claude');
  });
});

describe('stored sessions of agents', () => {
  beforeAll(() => {
    const folder = join(api.folder, '.claude/projects/-workspace');
    mkdirSync(folder, { recursive: true });
    for (const [at, word] of ['blue', 'green', 'red'].entries()) {
      const common = {
        sessionId: idOf(at),
        cwd: '/workspace',
        isSidechain: false,
        timestamp: `2026-11-15T18:3${at}:00.000Z`,
        version: '2.1.0',
      };
      const lines = [
        {
          ...common,
          type: 'user',
          uuid: `u${at}`,
          parentUuid: null,
          message: { role: 'user', content: `remember ${word}` },
        },
        {
          ...common,
          type: 'assistant',
          uuid: `a${at}`,
          parentUuid: `u${at}`,
          message: {
            id: `m${at}`,
            role: 'assistant',
            model: 'claude-x',
            content: [{ type: 'text', text: 'I do' }],
            usage: { input_tokens: 1, output_tokens: 2 },
          },
        },
      ];
      writeFileSync(join(folder, `${idOf(at)}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    }
  });
  const idOf = (at: number) => `${at}aaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee`;
  const idsOf = (page: Record<string, unknown>) =>
    (page.sessions as { agentSessionId: string }[]).map(({ agentSessionId }) => agentSessionId);

  test('are listed page by page, newest first', async () => {
    const first = await get('/api/v1/history?limit=2');
    expect([idsOf(first), first.nextCursor]).toEqual([[idOf(2), idOf(1)], '2']);
    const second = await get(`/api/v1/history?limit=2&cursor=${first.nextCursor}`);
    expect([idsOf(second), second.nextCursor]).toEqual([[idOf(0)], null]);
    expect(idsOf(await get('/api/v1/history?agent=claude&cwd=%2Fworkspace'))).toHaveLength(3);
    expect(idsOf(await get('/api/v1/history?cwd=%2Fother'))).toEqual([]);
  });

  test('are searched', async () => {
    const found = await get('/api/v1/history?text=green');
    expect(idsOf(found)).toEqual([idOf(1)]);
    expect(found.sessions).toMatchObject([{ snippet: expect.arrayContaining([{ text: 'green', match: true }]) }]);
  });

  test('are read completely and can be imported', async () => {
    expect(await get(`/api/v1/history/claude/${idOf(0)}`)).toMatchObject({
      agent: 'claude',
      messages: [
        { role: 'user', text: 'remember blue' },
        { role: 'assistant', text: 'I do' },
      ],
    });
    expect((await api.ask('/api/v1/history/claude/none')).status).toBe(404);
    expect((await api.ask('/api/v1/history?agent=missing')).status).toBe(422);
    const taken = await post(`/api/v1/history/claude/${idOf(0)}/import`, {});
    expect([taken.status, taken.json()]).toMatchObject([201, { agent: 'claude', agentSessionId: idOf(0) }]);
  });
});

describe('inbox', () => {
  const request = (id: string, snoozedUntil: number | null) =>
    api.store.putRequest({
      id,
      sessionId: 'one',
      agent: 'demo',
      launch: 1,
      agentRequestId: id,
      kind: 'approval',
      event: {},
      state: 'open',
      outcome: null,
      by: null,
      answer: null,
      snoozedUntil,
      createdAt: 1,
      resolvedAt: null,
    });

  test('contains open requests that are not snoozed, limits and failures', async () => {
    await request('now', null);
    await request('later', api.now + 1);
    await request('again', api.now);
    await api.store.insertSession({
      ...newSession('limited'),
      activity: 'limited',
      limit: createLimit('l1', { message: 'wait', resetsAt: null }),
    });
    await api.store.insertSession({
      ...newSession('failed'),
      activity: 'exited',
      error: { code: 'AGENT_CRASH', message: 'it fell' },
    });
    const inbox = (await get('/api/v1/inbox')) as Record<string, { id: string }[]>;
    const ids = Object.fromEntries(Object.entries(inbox).map(([name, rows]) => [name, rows.map(({ id }) => id)]));
    expect(ids).toEqual({ requests: ['now', 'again'], limits: ['limited'], failures: ['failed'] });
  });

  test('snoozes a request for an hour by default', async () => {
    await request('put', null);
    expect((await api.ask('/api/v1/requests/put/snooze', { method: 'POST' })).json()).toMatchObject({
      snoozedUntil: api.now + 3_600_000,
      state: 'open',
    });
    expect((await post('/api/v1/requests/put/snooze', { until: 5 })).json()).toMatchObject({ snoozedUntil: 5 });
  });

  test('accepts one valid answer and records the actor', async () => {
    await request('ask', null);
    expect((await post('/api/v1/requests/ask/answer', { decision: 'perhaps' })).status).toBe(422);
    expect((await post('/api/v1/requests/as/answer', { decision: 'allow' })).json()).toMatchObject({
      id: 'ask',
      state: 'answered',
      by: 'token',
    });
    expect((await post('/api/v1/requests/ask/answer', { decision: 'deny' })).json()).toMatchObject({
      status: 409,
      code: 'REQUEST_CLOSED',
    });
    const { requests } = (await get('/api/v1/requests?state=answered&sessionId=on')) as { requests: { id: string }[] };
    expect(requests.map(({ id }) => id)).toEqual(['ask']);
  });
});

test('stores a repeated message once and cancels it while queued', async () => {
  const path = '/api/v1/sessions/one/messages';
  for (const text of ['first', 'second']) {
    const answer = await post(path, { id: 'm-1', text });
    expect([answer.status, answer.json()]).toMatchObject([
      202,
      { id: 'm-1', text: 'first', state: 'queued', mode: 'queue', by: 'token' },
    ]);
  }
  expect((await get(path)).messages).toHaveLength(1);
  expect((await api.ask(`${path}/m-1`, { method: 'DELETE' })).json()).toMatchObject({ state: 'cancelled' });
  expect((await api.ask(`${path}/m-2`, { method: 'DELETE' })).status).toBe(404);
});

test('renames and pins a session and ignores an empty patch', async () => {
  const patch = (body: unknown) => api.ask('/api/v1/sessions/one', { method: 'PATCH', body });
  expect((await patch({ title: 'new', pinned: true })).json()).toMatchObject({ title: 'new', pinned: true });
  expect((await patch({ title: null })).json()).toMatchObject({ title: null, pinned: true });
  expect((await patch({})).status).toBe(200);
  expect((await patch({ id: 'other' })).status).toBe(422);
});
