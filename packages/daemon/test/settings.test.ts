import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Machine, useMachines } from './daemons.ts';

const machines = useMachines();
const PATIENT = { timeout: 60_000, interval: 100 };
const create = ({ client, work }: Machine, options = {}) =>
  client.sessions.create({ agent: 'demo', cwd: work, prompt: 'hello', ...options });
const readFile = ({ env }: Machine) =>
  JSON.parse(readFileSync(join(env.HOME ?? '', '.config', 'agent-mux', 'config.json'), 'utf8'));

describe('settings change that is killed', () => {
  const SECRET = ['of', 'the', 'killed', 'change'].join('-');
  const injector = new URL('./inject-faults.mjs', import.meta.url).href;
  const folderOf = ({ env }: Machine) => join(env.HOME ?? '', '.config', 'agent-mux');
  const filesOf = (machine: Machine) =>
    readdirSync(folderOf(machine), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  const withSecret = (machine: Machine) =>
    filesOf(machine).filter((path) => readFileSync(path, 'utf8').includes(SECRET));
  const target = (secret: string) => ({
    notify: { targets: { phone: { type: 'webhook' as const, url: `http://127.0.0.1:9/${secret}`, secret } } },
  });

  /** Calls that the change makes in sequence, and the file in the middle of which it is killed. */
  it.each([
    ['rename', 'agent-mux/config.json', 'before the file is replaced'],
    ['rm', 'agent-mux/secrets', 'before the former secret is removed'],
  ])('leaves no secret that is not in use (killed in %s of %s)', async (hang, file) => {
    const machine = await machines.start({}, {}, ({ env, root }) =>
      Object.assign(env, { NODE_OPTIONS: `--import=${injector}`, FAULT_CONTROL: join(root, 'fault.json') }),
    );
    await machine.client.settings.update(target('a-secret-that-stays-in-use'));
    writeFileSync(join(folderOf(machine), 'secrets', 'mine'), 'a file of the user');
    const former = filesOf(machine).filter((path) => /secrets\/phone/.test(path));
    const under = join(machine.env.HOME ?? '', '.config', file);
    writeFileSync(join(machine.root, 'fault.json'), JSON.stringify({ hang, under }));
    const changing = machine.client.settings.update(target(SECRET)).catch(() => 'cut off');
    const isDone = hang === 'rm';
    const config = join(folderOf(machine), 'config.json');
    const hasStopped = () => withSecret(machine).length >= 2 && (!isDone || withSecret(machine).includes(config));
    await expect.poll(hasStopped, PATIENT).toBe(true);
    await machine.kill();
    expect(await changing).toBe('cut off');
    rmSync(join(machine.root, 'fault.json'));
    await machine.start();
    const { secretFile } = (await machine.client.settings.get()).notify.targets[0] ?? {};
    expect(withSecret(machine).sort()).toEqual(isDone ? [config, secretFile].sort() : []);
    expect(filesOf(machine).filter((path) => /secrets\/phone/.test(path))).toEqual(isDone ? [secretFile] : former);
    expect(filesOf(machine)).toContain(join(folderOf(machine), 'secrets', 'mine'));
    expect(filesOf(machine).filter((path) => path.endsWith('.tmp'))).toEqual([]);
  });
});

describe('settings changed at run time', () => {
  it('release sessions that wait for a budget and survive SIGKILL', async () => {
    const machine = await machines.start({ budgets: [{ per: 'day', tokens: 1 }] }, { profiles: {} });
    const { id } = await create(machine);
    const held = await machine.until(id, ({ activity }) => activity === 'limited');
    expect(held.limit).toMatchObject({ kind: 'budget', per: 'day' });
    await machine.client.sessions.send(id, { id: 'm2', text: 'hello' });
    expect(await machine.client.sessions.get(id)).toMatchObject({ queuedMessages: 1, turns: 1 });
    const { revision } = await machine.client.settings.get();
    await machine.client.settings.update({ revision, budgets: [{ per: 'day', usd: 100 }], onLimit: 'continue' });
    await machine.until(id, ({ turns, activity }) => turns === 2 && activity === 'idle');
    expect((await machine.client.limits()).budgets).toMatchObject([{ per: 'day', usd: 100, exhausted: false }]);
    expect(await create(machine, { prompt: undefined })).toMatchObject({ onLimit: 'continue' });
    await machine.kill();
    await machine.start();
    expect(await machine.client.settings.get()).toMatchObject({
      onLimit: 'continue',
      budgets: [{ per: 'day', usd: 100 }],
    });
    expect(readFile(machine)).toEqual({
      daemon: { budgets: [{ per: 'day', usd: 100 }], onLimit: 'continue' },
      profiles: {},
    });
  });

  it('park idle sessions at once when parkAfter is set', async () => {
    const machine = await machines.start({ parkAfter: '0s' });
    const { id } = await create(machine);
    await machine.until(id, ({ turns, activity }) => turns === 1 && activity === 'idle');
    await machine.client.settings.update({ parkAfter: '1s' });
    expect(await machine.until(id, ({ parked }) => parked)).toMatchObject({ isTerminated: false });
  });

  it('apply to notifications from now on', async () => {
    const got: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () => {
        got.push(JSON.parse(body).state);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      const machine = await machines.start();
      const secret = 'a-secret-of-the-tests';
      const notify = (rules: { to: string[]; when: 'idle'[] }[]) => ({
        notify: { targets: { phone: { type: 'webhook' as const, url, secret } }, rules },
      });
      await machine.client.settings.update(notify([{ to: ['phone'], when: ['idle'] }]));
      const { id } = await create(machine);
      await expect.poll(() => got, PATIENT).toEqual(['idle']);
      await machine.client.settings.update({ notify: { rules: [] } });
      await machine.client.sessions.send(id, { text: 'hello' });
      await machine.until(id, ({ turns, activity }) => turns === 2 && activity === 'idle');
      await machine.client.settings.update(notify([{ to: ['phone'], when: ['idle'] }]));
      await machine.client.sessions.send(id, { text: 'hello' });
      await machine.until(id, ({ turns, activity }) => turns === 3 && activity === 'idle');
      await expect.poll(() => got, PATIENT).toEqual(['idle', 'idle']);
      expect(machine.log()).not.toContain(secret);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('handshakeTimeout', () => {
  it('stops an agent that does not open its session in time', async () => {
    const mute = { id: 'mute', name: 'Mute', profile: 'acp', acp: { command: 'sleep', args: ['4711'] } };
    const machine = await machines.start({ handshakeTimeout: '1s' }, { agents: [mute] });
    const { id } = await create(machine, { agent: 'mute' });
    const isOver = async () => (await machine.events(id)).filter(({ type }) => type === 'error');
    await expect.poll(async () => (await isOver()).length, PATIENT).toBe(1);
    expect(await isOver()).toMatchObject([
      { code: 'TIMEOUT', message: expect.stringMatching(/^Mute has not answered .*within 1 ?s/) },
    ]);
  });
});
