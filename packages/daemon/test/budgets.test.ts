import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useMachines } from './daemons.ts';

const machines = useMachines();

describe('exhausted budget', () => {
  it('lets the turn end, then holds messages without losing them until it is raised', async () => {
    const machine = await machines.start();
    const options = { agent: 'demo', cwd: machine.work, prompt: 'hello', budget: { usd: 0.000001 } };
    const { id } = await machine.client.sessions.create(options);
    const limited = await machine.until(id, ({ activity }) => activity === 'limited');
    expect(limited).toMatchObject({
      turns: 1,
      isTerminated: false,
      limit: { kind: 'budget', state: 'paused', resetsAt: null, message: expect.stringContaining('of this session') },
      waitingFor: null,
    });
    await machine.client.sessions.send(id, { id: 'm2', text: 'hello' });
    expect(await machine.client.sessions.get(id)).toMatchObject({ queuedMessages: 1, waitingFor: { kind: 'budget' } });
    const refused = machine.client.sessions.send(id, { text: 'at once', mode: 'reject' });
    await expect(refused).rejects.toMatchObject({ problem: 'TURN_RUNNING' });
    expect((await machine.client.limits()).budgets).toMatchObject([{ per: 'session', sessionId: id, exhausted: true }]);
    expect((await machine.client.inbox()).limits.map((each) => each.id)).toEqual([id]);
    await machine.kill();
    await machine.start();
    expect(await machine.client.sessions.get(id)).toMatchObject({ queuedMessages: 1, turns: 1, activity: 'limited' });
    await machine.client.sessions.update(id, { budget: { usd: 10 } });
    const done = await machine.until(id, ({ turns, activity }) => turns === 2 && activity === 'idle');
    expect(done).toMatchObject({ limit: null, waitingFor: null, budget: { usd: 10 } });
    expect(await machine.client.sessions.messages(id)).toMatchObject([
      { state: 'completed' },
      { id: 'm2', state: 'completed' },
    ]);
  });

  it('lets one message pass when a person continues', async () => {
    const machine = await machines.start();
    const options = { agent: 'demo', cwd: machine.work, prompt: 'hello', budget: { usd: 0.000001 } };
    const { id } = await machine.client.sessions.create(options);
    const limited = await machine.until(id, ({ activity }) => activity === 'limited');
    expect(limited.limit).toMatchObject({ kind: 'budget', per: 'session' });
    await expect(machine.client.sessions.continueNow(id)).rejects.toMatchObject({ problem: 'LIMITED' });
    for (const id of ['m2', 'm3']) await machine.client.sessions.send(limited.id, { id, text: 'hello' });
    await machine.client.sessions.continueNow(id);
    const again = await machine.until(id, ({ turns, activity }) => turns === 2 && activity === 'limited');
    expect(again).toMatchObject({ queuedMessages: 1, limit: { kind: 'budget' }, waitingFor: { kind: 'budget' } });
    const actions = (await machine.client.audit({ sessionId: id })).map(({ action }) => action);
    expect(actions.filter((action) => action === 'limit.continue')).toHaveLength(1);
  });

  it('stays out of the inbox after it was dismissed until it blocks again', async () => {
    const machine = await machines.start();
    const options = { agent: 'demo', cwd: machine.work, prompt: 'hello', budget: { usd: 0.000001 } };
    const { id } = await machine.client.sessions.create(options);
    const { activitySince } = await machine.until(id, ({ activity }) => activity === 'limited');
    await machine.client.sessions.update(id, { dismissed: activitySince });
    expect((await machine.client.inbox()).limits).toEqual([]);
    await machine.kill();
    await machine.start();
    expect((await machine.client.inbox()).limits).toEqual([]);
    await machine.client.sessions.send(id, { text: 'hello' });
    await machine.client.sessions.continueNow(id);
    await machine.until(id, ({ turns, activity }) => turns === 2 && activity === 'limited');
    expect((await machine.client.inbox()).limits).toMatchObject([{ id }]);
  });

  it('per day blocks every session it covers and reports when it resets', async () => {
    const machine = await machines.start({ budgets: [{ per: 'day', tokens: 1, agent: 'demo' }] });
    const first = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'hello' });
    await machine.until(first.id, ({ turns }) => turns === 1);
    const second = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'hello' });
    expect(second).toMatchObject({
      launch: 0,
      activity: 'limited',
      limit: { kind: 'budget', message: expect.stringContaining('of the day for demo') },
      waitingFor: { kind: 'budget', until: expect.any(Number) },
    });
    const midnight = new Date(second.waitingFor?.until ?? 0);
    expect([midnight.getHours(), midnight.getMinutes()]).toEqual([0, 0]);
    await expect(machine.client.sessions.send(first.id, { text: 'at once', mode: 'reject' })).rejects.toMatchObject({
      problem: 'LIMITED',
    });
  });
});

describe('settings of limits and budgets', () => {
  it('report errors with their line and fall back to the defaults', async () => {
    const machine = await machines.start({ continuation: { hours: 'always' }, budgets: [{ per: 'day' }] });
    expect(machine.log()).toContain('daemon.continuation.hours must be a time range');
    expect(machine.log()).toContain('daemon.budgets[0] must name usd, tokens or both');
    expect((await machine.client.limits()).rules).toMatchObject({ hours: null, maxPerDay: 24 });
  });
});

describe('Claude usage query', () => {
  it('runs only if the user enabled it', async () => {
    const tokens: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      tokens.push(request.headers.authorization);
      response.end(JSON.stringify({ five_hour: { utilization: 42, resets_at: '2126-11-16T15:00:00Z' } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    try {
      const machine = await machines.start();
      const login = join(machine.env.HOME ?? '', '.claude');
      mkdirSync(login);
      writeFileSync(join(login, '.credentials.json'), '{"claudeAiOauth":{"accessToken":"a-fake-token"}}');
      await machine.end();
      await machine.start({ AGENT_MUX_CLAUDE_USAGE_URL: url });
      expect(await machine.client.quota()).toEqual([]);
      expect(tokens).toEqual([]);
      await machine.end();
      machine.configure({ queryClaudeUsage: true });
      await machine.start({ AGENT_MUX_CLAUDE_USAGE_URL: url });
      for (let times = 0; times < 2; times++)
        expect(await machine.client.quota()).toMatchObject([
          {
            agent: 'claude',
            source: 'endpoint',
            windows: [{ window: 'five_hour', usedPercent: 42 }],
            pausedUntil: null,
          },
        ]);
      expect(tokens).toEqual(['Bearer a-fake-token']);
      expect(machine.log()).not.toContain('a-fake-token');
    } finally {
      server.close();
    }
  });
});
