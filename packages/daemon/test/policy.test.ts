import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Machine, useMachines } from './daemons.ts';

const machines = useMachines();

function writeRules(file: string, ...rules: unknown[]): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ policy: { rules } }));
}
const userFile = ({ env }: Machine) => join(env.HOME ?? '', '.config', 'agent-mux', 'config.json');
const create = ({ client, work }: Machine, prompt: string) =>
  client.sessions.create({ agent: 'demo', cwd: work, prompt });
const requestsOf = async ({ client }: Machine, sessionId: string) =>
  (await client.requests.list({ sessionId })).requests;

describe('rules', () => {
  it('answer requests as soon as they are written, and appear in the row and audit log', async () => {
    const machine = await machines.start();
    const { client, until } = machine;
    writeRules(userFile(machine), { name: 'node-ok', decision: 'allow', kind: 'execute', pattern: 'node *' });
    const { id } = await create(machine, 'run it');
    await until(id, ({ activity }) => activity === 'idle');
    expect(await requestsOf(machine, id)).toMatchObject([
      { state: 'answered', outcome: 'allowed', by: 'rule node-ok', answer: { decision: 'allow', optionId: 'allow' } },
    ]);
    const [entry] = (await client.audit({ sessionId: id })).filter(({ action }) => action === 'request.allow');
    expect(entry).toMatchObject({ actor: 'rule node-ok' });

    writeRules(userFile(machine), { name: 'no-node', decision: 'deny', kind: 'execute', pattern: 'node *' });
    await client.sessions.send(id, { text: 'run it' });
    await until(id, ({ turns, activity }) => turns === 2 && activity === 'idle');
    expect((await requestsOf(machine, id)).map(({ by, outcome }) => [by, outcome])).toContainEqual([
      'rule no-node',
      'denied',
    ]);
    expect((await client.sessions.get(id)).summary).toBe('Then I do not run it.');
  });

  it('leave unmatched requests, questions and grants of an untrusted project to the person', async () => {
    const machine = await machines.start();
    const { client, until, work } = machine;
    writeRules(userFile(machine), { decision: 'allow', kind: 'execute', pattern: 'git *' });
    writeRules(join(work, '.agent-mux', 'config.json'), { decision: 'allow', agent: 'demo' });
    const asking = await create(machine, 'ask me a question');
    const running = await create(machine, 'run it');
    await until(running.id, ({ activity }) => activity === 'blocked');
    await until(asking.id, ({ activity }) => activity === 'waiting_input');
    expect((await client.inbox()).requests).toHaveLength(2);
    const { rules, issues } = await client.policy.get(work);
    expect(rules).toMatchObject([{ source: 'user' }]);
    expect(issues).toMatchObject([{ file: join(work, '.agent-mux', 'config.json'), line: 1 }]);
  });

  it('answer requests from while the daemon was down', async () => {
    const machine = await machines.start();
    const { until, kill, start } = machine;
    const { id } = await create(machine, 'run it');
    await until(id, ({ activity }) => activity === 'blocked');
    await kill();
    writeRules(userFile(machine), { name: 'node-ok', decision: 'allow', kind: 'execute', pattern: 'node *' });
    await start();
    await until(id, ({ activity }) => activity === 'idle');
    expect(await requestsOf(machine, id)).toMatchObject([
      { state: 'answered', outcome: 'allowed', by: 'rule node-ok' },
    ]);

    await machine.client.sessions.send(id, { text: 'run it' });
    await kill();
    await start();
    await until(id, ({ turns, activity }) => turns === 2 && activity === 'idle');
    const all = await requestsOf(machine, id);
    expect(all.map(({ by, outcome }) => [by, outcome])).toEqual([
      ['rule node-ok', 'allowed'],
      ['rule node-ok', 'allowed'],
    ]);
  });
});

describe('rule added while a request is open', () => {
  it('answers what it matches, leaves the rest open and appears in the audit log', async () => {
    const machine = await machines.start();
    const { client, until } = machine;
    const running = await create(machine, 'run it');
    const writing = await create(machine, 'write a.txt');
    for (const { id } of [running, writing]) await until(id, ({ activity }) => activity === 'blocked');
    await client.policy.add({ name: 'ask-node', decision: 'ask', kind: ['execute'], pattern: ['node *'] });
    await client.policy.add({ name: 'edit-ok', decision: 'allow', kind: ['edit'], agent: ['demo'] });
    await until(writing.id, ({ activity }) => activity === 'idle');
    expect(await requestsOf(machine, writing.id)).toMatchObject([{ outcome: 'allowed', by: 'rule edit-ok' }]);
    const [entry] = (await client.audit({ sessionId: writing.id })).filter(({ action }) => action === 'request.allow');
    expect(entry).toMatchObject({ actor: 'rule edit-ok' });
    expect(await requestsOf(machine, running.id)).toMatchObject([{ state: 'open', by: null }]);
    // Edited in the file.
    writeRules(userFile(machine), { name: 'no-node', decision: 'deny', kind: 'execute', pattern: 'node *' });
    await until(running.id, ({ activity }) => activity === 'idle');
    expect(await requestsOf(machine, running.id)).toMatchObject([{ outcome: 'denied', by: 'rule no-node' }]);
  });

  it('includes remembered answers, which apply to other open requests', async () => {
    const machine = await machines.start();
    const { client, until } = machine;
    const [one, other] = [await create(machine, 'run it'), await create(machine, 'run it')];
    for (const { id } of [one, other]) await until(id, ({ activity }) => activity === 'blocked');
    const [request] = await requestsOf(machine, one.id);
    await client.requests.answer(request?.id ?? '', { decision: 'allow', remember: { scope: 'project' } });
    for (const { id } of [one, other]) await until(id, ({ activity }) => activity === 'idle');
    const [remembered] = (await client.policy.get()).remembered;
    expect(await requestsOf(machine, other.id)).toMatchObject([{ by: `remembered ${remembered?.id}` }]);
  });
});

describe('remembered answer', () => {
  it('is applied automatically until it is forgotten', async () => {
    const machine = await machines.start();
    const { client, until } = machine;
    const { id } = await create(machine, 'run it');
    await until(id, ({ activity }) => activity === 'blocked');
    const [request] = (await client.inbox()).requests;
    const answer = (remember: { scope: 'session' | 'project'; pattern?: string }) =>
      client.requests.answer(request?.id ?? '', { decision: 'allow', remember });
    await expect(answer({ scope: 'session', pattern: 'git *' })).rejects.toMatchObject({ problem: 'VALIDATION_ERROR' });
    expect((await client.inbox()).requests).toHaveLength(1);
    await answer({ scope: 'project' });
    await until(id, ({ activity }) => activity === 'idle');
    const [remembered] = (await client.policy.get()).remembered;
    expect(remembered).toMatchObject({
      scope: 'project',
      resource: 'node --version',
      by: request?.by ?? expect.any(String),
    });

    const other = await create(machine, 'run it');
    await until(other.id, ({ activity }) => activity === 'idle');
    expect(await requestsOf(machine, other.id)).toMatchObject([{ by: `remembered ${remembered?.id}` }]);

    await client.policy.forget(remembered?.id ?? '');
    await client.sessions.send(other.id, { text: 'run it' });
    await until(other.id, ({ activity }) => activity === 'blocked');
  });
});

describe('policy routes', () => {
  it('add, test and remove rules, and write the audit log', async () => {
    const machine = await machines.start();
    const { client, work } = machine;
    await client.policy.add({ name: 'no-rm', decision: 'deny', kind: ['execute'], pattern: ['rm *'] });
    await expect(client.policy.add({ decision: 'allow' })).rejects.toMatchObject({ problem: 'VALIDATION_ERROR' });
    const trial = { agent: 'demo', kind: 'execute', resource: 'ls; rm -rf x', cwd: work } as const;
    expect(await client.policy.test(trial)).toMatchObject({ decision: 'deny', rule: { name: 'no-rm' } });
    await client.policy.remove('no-rm');
    expect(await client.policy.test(trial)).toMatchObject({ decision: 'ask', rule: null });
    await expect(client.policy.remove('no-rm')).rejects.toMatchObject({ problem: 'VALIDATION_ERROR' });
    await expect(client.policy.forget('abc')).rejects.toMatchObject({ problem: 'NOT_FOUND' });
    const actions = (await client.audit()).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(['policy.rule-add', 'policy.rule-remove']));
  });
});
