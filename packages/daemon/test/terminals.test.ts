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

async function begin(adapter: unknown = ADAPTER, [name, program] = ['screen-agent', SCREEN]): Promise<Machine> {
  const machine = await machines.start({}, { adapters: [adapter] });
  const bin = join(machine.root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, name), program);
  chmodSync(join(bin, name), 0o755);
  return machine;
}

interface Wanted {
  agent?: string;
  options?: Record<string, unknown>;
  variables?: Record<string, string>;
}

async function create(machine: Machine, { variables = {}, ...wanted }: Wanted = {}) {
  const hostEnv = { ...machine.env, ...variables, PATH: `${join(machine.root, 'bin')}:${machine.env.PATH}` };
  return machine.client.sessions.create({ agent: 'screen', cwd: machine.work, hostEnv, ...wanted });
}

function watch(machine: Machine, id: string, viewer: string) {
  const heard: TerminalMessage[] = [];
  const life = new AbortController();
  const over = (async () => {
    for await (const batch of machine.client.terminals.watch(id, viewer, { signal: life.signal })) heard.push(...batch);
  })();
  const shows = (text: string) =>
    expect.poll(() => heard.flatMap((one) => ('data' in one ? [one.data] : [])).join(''), PATIENT).toContain(text);
  return { heard, over, shows, leave: () => life.abort() };
}

describe('a terminal of the daemon', () => {
  it('is opened, typed into and left over HTTP, outlives the daemon, and ends with its program', async () => {
    const machine = await begin();
    const { id } = await create(machine);
    const opened = await machine.client.terminals.open(id, { cols: 80, rows: 24, prompt: 'do it' });
    expect(opened).toMatchObject({ origin: 'terminal', isTerminated: false, activity: 'no_signal' });
    const one = watch(machine, id, 'one');
    await one.shows('hello --prompt=do it');
    await machine.client.terminals.type(id, 'one', 'first\r');
    await one.shows('said first');
    await expect(machine.client.sessions.send(id, { text: 'x' })).rejects.toMatchObject({
      problem: 'SESSION_ELSEWHERE',
    });
    await expect(machine.client.terminals.open(id, { cols: 80, rows: 24 })).rejects.toMatchObject({
      problem: 'SESSION_ELSEWHERE',
    });
    one.leave();
    await one.over;

    await machine.kill();
    await machine.start();
    expect(await machine.client.sessions.get(id)).toMatchObject({ origin: 'terminal', isTerminated: false });
    const two = watch(machine, id, 'two');
    await two.shows('said first');
    await machine.client.terminals.type(id, 'two', 'bye\r');
    await two.over;
    expect(two.heard.at(-1)).toMatchObject({ type: 'ended', exit: { code: 0 } });
    await machine.until(id, ({ activity, isTerminated }) => activity === 'exited' && isTerminated);
    expect(await machine.client.terminals.screen(id)).toMatchObject({ exit: { code: 0 } });
  });

  it('passes what draws to viewers, and neither clipboard, title nor questions of its program', async () => {
    const hostile = `#!/bin/sh
[ "$1" = --version ] && { echo 1.0.0; exit 0; }
printf '\\033[31mred\\033[0m\\033]52;c;c3RvbGVu\\a\\033]0;a title\\a\\033P+q544e\\033\\\\\\033[21t\\033]8;;http://127.0.0.1/\\a'
while :; do read -r line || continue; [ "$line" = bye ] && exit 0; printf 'said \\033]52;c;c3RvbGVu\\033\\\\%s\\n' "$line"; done
`;
    const machine = await begin(ADAPTER, ['screen-agent', hostile]);
    const { id } = await create(machine);
    await machine.client.terminals.open(id, { cols: 80, rows: 24 });
    const viewer = watch(machine, id, 'one');
    await viewer.shows('red');
    await machine.client.terminals.type(id, 'one', 'more\r');
    await viewer.shows('said more');
    await machine.client.terminals.type(id, 'one', 'bye\r');
    await viewer.over;
    const last = await machine.client.terminals.screen(id);
    const shown = `${viewer.heard.map((one) => ('data' in one ? one.data : '')).join('')}${last.data}`;
    expect(shown).not.toMatch(/\x1b[\]P_^X]|c3RvbGVu|a title|\x1b\[21t/);
    expect(shown).toContain('\x1b[31mred');
  });

  it('is stopped like any session, and seen as ended where it went with its keeper', async () => {
    const machine = await begin();
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

  it('is refused where the agent cannot be told what the session says, and the session is as it was', async () => {
    const machine = await begin();
    const { id } = await machine.client.sessions.create({
      agent: 'screen',
      cwd: machine.work,
      options: { model: 'm1' },
    });
    await expect(machine.client.terminals.open(id, { cols: 80, rows: 24 })).rejects.toMatchObject({
      code: 'CAPABILITY_ERROR',
    });
    expect(await machine.client.sessions.get(id)).toMatchObject({ origin: 'daemon', activity: 'idle', parked: true });
    await expect(machine.client.terminals.type(id, 'nobody', 'x')).rejects.toMatchObject({ status: 404 });
    await expect(machine.client.terminals.screen(id)).rejects.toMatchObject({ status: 404 });
  });
});

describe('a terminal of an agent without hooks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stored-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  /** Says what it was started with, and stores what it is told to, under that id. */
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
  const start = (isHooked = false) => begin({ ...adapter, options: { folder, isHooked } }, ['storing-agent', program]);

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
      await machine.client.terminals.type(id, 'one', `${each}\r`);
      await one.shows(`stored ${each}`);
    }
    await machine.client.terminals.type(id, 'one', 'bye\r');
    await one.over;
    await machine.until(id, ({ isTerminated }) => isTerminated);
  }

  it('asks before it does anything unless it is told otherwise, whatever its own default is', async () => {
    const machine = await start();
    const { id } = await create(machine, { agent: 'storing' });
    await shows(machine, id, 'args:--ask;');
    const free = await create(machine, { agent: 'storing', options: { approvalMode: 'yolo' } });
    await shows(machine, free.id, 'args:--free;');
  });

  it('has no hooks that would take the place of a configuration which the user has set', async () => {
    const machine = await start(true);
    const { id } = await create(machine, { agent: 'storing' });
    expect(await machine.client.terminals.open(id, { cols: 80, rows: 24 })).toMatchObject({ activity: 'idle' });
    const own = await create(machine, { agent: 'storing', variables: { STORING_HOME: '/own' } });
    await shows(machine, own.id, 'home:/own;');
    expect(await machine.client.sessions.get(own.id)).toMatchObject({ activity: 'no_signal' });
  });

  it('is gone on with by the one session that it has stored since it was begun', async () => {
    const machine = await start();
    const { id } = await create(machine, { agent: 'storing' });
    await storeAndLeave(machine, id, 'n-1');
    expect(await machine.client.sessions.get(id)).toMatchObject({ nativeId: 'n-1' });
    await shows(machine, id, 'args:--resume=n-1 --ask;');
  });

  it('is not opened again as another conversation where it has stored several', async () => {
    const machine = await start();
    const { id } = await create(machine, { agent: 'storing' });
    await storeAndLeave(machine, id, 'n-2', 'n-3');
    await expect(machine.client.terminals.open(id, { cols: 80, rows: 24 })).rejects.toMatchObject({
      problem: 'NO_NATIVE_SESSION',
    });
  });
});
