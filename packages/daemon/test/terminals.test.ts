import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TerminalMessage } from '@agent-mux/api';
import { afterAll, describe, expect, it } from 'vitest';
import { type Machine, useMachines } from './daemons.ts';

const machines = useMachines();
const ADAPTER = fileURLToPath(new URL('./terminal-adapter.ts', import.meta.url));
const PATIENT = { timeout: 40_000 };

const SCREEN = `#!/bin/sh
[ "$1" = --version ] && { echo 1.0.0; exit 0; }
echo "hello $1"
while :; do read -r line || continue; [ "$line" = bye ] && exit 0; echo "said $line"; done
`;

async function startMachine(adapter: unknown = ADAPTER, [name, program] = ['screen-agent', SCREEN]): Promise<Machine> {
  const machine = await machines.start({}, { adapters: [adapter] });
  const bin = join(machine.root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, name), program);
  chmodSync(join(bin, name), 0o755);
  return machine;
}

interface CreateOptions {
  agent?: string;
  options?: Record<string, unknown>;
  variables?: Record<string, string>;
}

async function create(machine: Machine, { variables = {}, ...options }: CreateOptions = {}) {
  const hostEnv = { ...machine.env, ...variables, PATH: `${join(machine.root, 'bin')}:${machine.env.PATH}` };
  return machine.client.sessions.create({ agent: 'screen', cwd: machine.work, hostEnv, ...options });
}

function watch(machine: Machine, id: string, viewer: string) {
  const received: TerminalMessage[] = [];
  const life = new AbortController();
  const over = (async () => {
    for await (const batch of machine.client.terminals.watch(id, viewer, { signal: life.signal }))
      received.push(...batch);
  })();
  const shows = (text: string) =>
    expect.poll(() => received.flatMap((one) => ('data' in one ? [one.data] : [])).join(''), PATIENT).toContain(text);
  return { received, over, shows, leave: () => life.abort() };
}

describe('terminal session', () => {
  it('can be opened, typed into and left, survives the daemon, and ends with its program', async () => {
    const machine = await startMachine();
    const { id } = await create(machine);
    const opened = await machine.client.terminals.open(id, { cols: 80, rows: 24, prompt: 'do it' });
    expect(opened).toMatchObject({ origin: 'terminal', isTerminated: false, activity: 'no_signal' });
    const one = watch(machine, id, 'one');
    await one.shows('hello --prompt=do it');
    await machine.client.terminals.write(id, 'one', 'first\r');
    await one.shows('said first');
    await expect(machine.client.sessions.send(id, { text: 'x' })).rejects.toMatchObject({
      problem: 'SESSION_IN_TERMINAL',
    });
    await expect(machine.client.terminals.open(id, { cols: 80, rows: 24 })).rejects.toMatchObject({
      problem: 'SESSION_IN_TERMINAL',
    });
    one.leave();
    await one.over;

    await machine.kill();
    await machine.start();
    expect(await machine.client.sessions.get(id)).toMatchObject({ origin: 'terminal', isTerminated: false });
    const two = watch(machine, id, 'two');
    await two.shows('said first');
    await machine.client.terminals.write(id, 'two', 'bye\r');
    await two.over;
    expect(two.received.at(-1)).toMatchObject({ type: 'ended', exit: { code: 0 } });
    await machine.until(id, ({ activity, isTerminated }) => activity === 'exited' && isTerminated);
    expect(await machine.client.terminals.screen(id)).toMatchObject({ exit: { code: 0 } });
  });

  it('filters clipboard, title and query sequences from its output', async () => {
    const hostile = `#!/bin/sh
[ "$1" = --version ] && { echo 1.0.0; exit 0; }
printf '\\033[31mred\\033[0m\\033]52;c;c3RvbGVu\\a\\033]0;a title\\a\\033P+q544e\\033\\\\\\033[21t\\033]8;;http://127.0.0.1/\\a'
while :; do read -r line || continue; [ "$line" = bye ] && exit 0; printf 'said \\033]52;c;c3RvbGVu\\033\\\\%s\\n' "$line"; done
`;
    const machine = await startMachine(ADAPTER, ['screen-agent', hostile]);
    const { id } = await create(machine);
    await machine.client.terminals.open(id, { cols: 80, rows: 24 });
    const viewer = watch(machine, id, 'one');
    await viewer.shows('red');
    await machine.client.terminals.write(id, 'one', 'more\r');
    await viewer.shows('said more');
    await machine.client.terminals.write(id, 'one', 'bye\r');
    await viewer.over;
    const last = await machine.client.terminals.screen(id);
    const shown = `${viewer.received.map((one) => ('data' in one ? one.data : '')).join('')}${last.data}`;
    expect(shown).not.toMatch(/\x1b[\]P_^X]|c3RvbGVu|a title|\x1b\[21t/);
    expect(shown).toContain('\x1b[31mred');
  });

  it('can be stopped, and is detected as ended when its keeper died', async () => {
    const machine = await startMachine();
    const [first, second] = [await create(machine), await create(machine)];
    for (const { id } of [first, second]) await machine.client.terminals.open(id, { cols: 80, rows: 24 });
    expect(await machine.client.sessions.stop(first.id)).toMatchObject({ activity: 'exited', isTerminated: true });
    expect(machine.keeperOf(first.id)).toBeUndefined();
    const keeper = machine.keeperOf(second.id);
    await machine.kill();
    process.kill(keeper?.pid ?? -1, 'SIGKILL');
    await machine.start();
    await machine.until(second.id, ({ activity }) => activity === 'exited');
  });

  it('is refused if the agent does not support an option of the session', async () => {
    const machine = await startMachine();
    const { id } = await machine.client.sessions.create({
      agent: 'screen',
      cwd: machine.work,
      options: { model: 'm1' },
    });
    await expect(machine.client.terminals.open(id, { cols: 80, rows: 24 })).rejects.toMatchObject({
      code: 'CAPABILITY_ERROR',
    });
    expect(await machine.client.sessions.get(id)).toMatchObject({ origin: 'daemon', activity: 'idle', parked: true });
    await expect(machine.client.terminals.write(id, 'missing', 'x')).rejects.toMatchObject({ status: 404 });
    await expect(machine.client.terminals.screen(id)).rejects.toMatchObject({ status: 404 });
  });
});

describe('terminal session of an agent without hooks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stored-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  /** Prints its arguments, and stores a session under each id that it reads. */
  const program = `#!/bin/sh
[ "$1" = --version ] && { echo 1.0.0; exit 0; }
echo "args:$*;"
echo "home:$STORING_HOME;"
while :; do
  read -r id || continue
  [ "$id" = bye ] && exit 0
  echo "{\\"sessionId\\":\\"$id\\",\\"cwd\\":\\"$PWD\\",\\"createdAt\\":$(date +%s)999}" > "${folder}/$id.json"
  echo "stored $id"
done
`;
  const adapter = { from: fileURLToPath(new URL('./storing-adapter.ts', import.meta.url)), options: { folder } };
  const start = (isHooked = false) =>
    startMachine({ ...adapter, options: { folder, isHooked } }, ['storing-agent', program]);

  async function open(machine: Machine, id: string) {
    await machine.client.terminals.open(id, { cols: 80, rows: 24 });
    return watch(machine, id, 'one');
  }

  async function shows(machine: Machine, id: string, text: string): Promise<void> {
    const one = await open(machine, id);
    await one.shows(text);
    one.leave();
    await one.over;
  }

  async function storeAndLeave(machine: Machine, id: string, ...stored: string[]): Promise<void> {
    const one = await open(machine, id);
    for (const each of stored) {
      await one.shows('args:');
      await machine.client.terminals.write(id, 'one', `${each}\r`);
      await one.shows(`stored ${each}`);
    }
    await machine.client.terminals.write(id, 'one', 'bye\r');
    await one.over;
    await machine.until(id, ({ isTerminated }) => isTerminated);
  }

  it('asks for approval by default, whatever the default of the agent is', async () => {
    const machine = await start();
    const { id } = await create(machine, { agent: 'storing' });
    await shows(machine, id, 'args:--ask;');
    const free = await create(machine, { agent: 'storing', options: { approvalMode: 'yolo' } });
    await shows(machine, free.id, 'args:--free;');
  });

  it('installs no hooks that would replace the user’s configuration', async () => {
    const machine = await start(true);
    const { id } = await create(machine, { agent: 'storing' });
    expect(await machine.client.terminals.open(id, { cols: 80, rows: 24 })).toMatchObject({ activity: 'idle' });
    const own = await create(machine, { agent: 'storing', variables: { STORING_HOME: '/own' } });
    await shows(machine, own.id, 'home:/own;');
    expect(await machine.client.sessions.get(own.id)).toMatchObject({ activity: 'no_signal' });
  });

  it('resumes the only session stored since it was started', async () => {
    const machine = await start();
    const { id } = await create(machine, { agent: 'storing' });
    await storeAndLeave(machine, id, 'n-1');
    expect(await machine.client.sessions.get(id)).toMatchObject({ agentSessionId: 'n-1' });
    await shows(machine, id, 'args:--resume=n-1 --ask;');
  });

  it('is not opened again if several sessions were stored', async () => {
    const machine = await start();
    const { id } = await create(machine, { agent: 'storing' });
    await storeAndLeave(machine, id, 'n-2', 'n-3');
    await expect(machine.client.terminals.open(id, { cols: 80, rows: 24 })).rejects.toMatchObject({
      problem: 'NO_AGENT_SESSION',
    });
  });
});
