import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useMachines } from './daemons.ts';

const machines = useMachines();

describe('a budget that is spent', () => {
  it('lets the turn end, and then nothing is sent until it is raised; nothing of it is lost meanwhile', async () => {
    const machine = await machines.start();
    const given = { agent: 'demo', cwd: machine.work, prompt: 'hello', budget: { usd: 0.000001 } };
    const { id } = await machine.client.sessions.create(given);
    const spent = await machine.until(id, ({ activity }) => activity === 'limited');
    expect(spent).toMatchObject({
      turns: 1,
      isTerminated: false,
      limit: { kind: 'budget', state: 'stopped', resetsAt: null, message: expect.stringContaining('of this session') },
      waitsFor: null,
    });
    await machine.client.sessions.send(id, { id: 'm2', text: 'hello' });
    expect(await machine.client.sessions.get(id)).toMatchObject({ queuedMessages: 1, waitsFor: { kind: 'budget' } });
    const refused = machine.client.sessions.send(id, { text: 'at once', mode: 'reject' });
    await expect(refused).rejects.toMatchObject({ problem: 'TURN_RUNNING' });
    expect((await machine.client.limits()).budgets).toMatchObject([{ per: 'session', sessionId: id, spent: true }]);
    expect((await machine.client.inbox()).limits.map((each) => each.id)).toEqual([id]);
    await machine.kill();
    await machine.start();
    expect(await machine.client.sessions.get(id)).toMatchObject({ queuedMessages: 1, turns: 1, activity: 'limited' });
    await machine.client.sessions.change(id, { budget: { usd: 10 } });
    const done = await machine.until(id, ({ turns, activity }) => turns === 2 && activity === 'idle');
    expect(done).toMatchObject({ limit: null, waitsFor: null, budget: { usd: 10 } });
    expect(await machine.client.sessions.messages(id)).toMatchObject([{ state: 'done' }, { id: 'm2', state: 'done' }]);
  });

  it('is passed over for one message where a person says so, and holds the next one', async () => {
    const machine = await machines.start();
    const given = { agent: 'demo', cwd: machine.work, prompt: 'hello', budget: { usd: 0.000001 } };
    const { id } = await machine.client.sessions.create(given);
    const spent = await machine.until(id, ({ activity }) => activity === 'limited');
    expect(spent.limit).toMatchObject({ kind: 'budget', per: 'session' });
    await expect(machine.client.sessions.continueLimit(id)).rejects.toMatchObject({ problem: 'LIMITED' });
    for (const id of ['m2', 'm3']) await machine.client.sessions.send(spent.id, { id, text: 'hello' });
    await machine.client.sessions.continueLimit(id);
    const again = await machine.until(id, ({ turns, activity }) => turns === 2 && activity === 'limited');
    expect(again).toMatchObject({ queuedMessages: 1, limit: { kind: 'budget' }, waitsFor: { kind: 'budget' } });
    const told = (await machine.client.audit({ session: id })).map(({ action }) => action);
    expect(told.filter((action) => action === 'limit.continue')).toHaveLength(1);
  });

  it('that somebody has waved away is out of the inbox until it holds something up anew', async () => {
    const machine = await machines.start();
    const given = { agent: 'demo', cwd: machine.work, prompt: 'hello', budget: { usd: 0.000001 } };
    const { id } = await machine.client.sessions.create(given);
    const { activitySince } = await machine.until(id, ({ activity }) => activity === 'limited');
    await machine.client.sessions.change(id, { dismissed: activitySince });
    expect((await machine.client.inbox()).limits).toEqual([]);
    await machine.kill();
    await machine.start();
    expect((await machine.client.inbox()).limits).toEqual([]);
    await machine.client.sessions.send(id, { text: 'hello' });
    await machine.client.sessions.continueLimit(id);
    await machine.until(id, ({ turns, activity }) => turns === 2 && activity === 'limited');
    expect((await machine.client.inbox()).limits).toMatchObject([{ id }]);
  });

  it('of a day holds every session that it covers, and says when it begins anew', async () => {
    const machine = await machines.start({ budgets: [{ per: 'day', tokens: 1, agent: 'demo' }] });
    const first = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'hello' });
    await machine.until(first.id, ({ turns }) => turns === 1);
    const second = await machine.client.sessions.create({ agent: 'demo', cwd: machine.work, prompt: 'hello' });
    expect(second).toMatchObject({
      launch: 0,
      activity: 'limited',
      limit: { kind: 'budget', message: expect.stringContaining('of the day for demo') },
      waitsFor: { kind: 'budget', until: expect.any(Number) },
    });
    const midnight = new Date(second.waitsFor?.until ?? 0);
    expect([midnight.getHours(), midnight.getMinutes()]).toEqual([0, 0]);
    await expect(machine.client.sessions.send(first.id, { text: 'at once', mode: 'reject' })).rejects.toMatchObject({
      problem: 'LIMITED',
    });
  });
});

describe('settings of limits and budgets', () => {
  it('that are wrong are told with their line, and the defaults count', async () => {
    const machine = await machines.start({ limits: { hours: 'always' }, budgets: [{ per: 'day' }] });
    expect(machine.log()).toContain('daemon.limits.hours must be a part of the day');
    expect(machine.log()).toContain('daemon.budgets[0] must name usd, tokens or both');
    expect((await machine.client.limits()).rules).toMatchObject({ hours: null, maxPerDay: 24 });
  });
});

describe('the windows of a Claude login', () => {
  it('are asked for only where the user said so, and shown with the others', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.end(JSON.stringify({ five_hour: { utilization: 42, resets_at: '2126-11-16T15:00:00Z' } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    try {
      const machine = await machines.start();
      const login = join(machine.env.HOME ?? '', '.claude');
      mkdirSync(login);
      writeFileSync(join(login, '.credentials.json'), '{"claudeAiOauth":{"accessToken":"a-made-up-token"}}');
      await machine.end();
      await machine.start({ AGENT_MUX_CLAUDE_USAGE_URL: url });
      expect(await machine.client.quota()).toEqual([]);
      expect(asked).toEqual([]);
      await machine.end();
      machine.configure({ claudeUsage: true });
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
      expect(asked).toEqual(['Bearer a-made-up-token']);
      expect(machine.log()).not.toContain('a-made-up-token');
    } finally {
      server.close();
    }
  });
});
