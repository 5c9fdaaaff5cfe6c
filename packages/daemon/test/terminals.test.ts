import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TerminalMessage } from '@agent-mux/api';
import { describe, expect, it } from 'vitest';
import { type Machine, useMachines } from './daemons.ts';

const machines = useMachines();
const ADAPTER = fileURLToPath(new URL('./terminal-adapter.ts', import.meta.url));
const PATIENT = { timeout: 40_000 };

const SCREEN = `#!/bin/sh
echo "hello $1"
while :; do read -r line || continue; [ "$line" = bye ] && exit 0; echo "said $line"; done
`;

async function begin(): Promise<Machine> {
  const machine = await machines.start({}, { adapters: [ADAPTER] });
  const bin = join(machine.root, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'screen-agent'), SCREEN);
  chmodSync(join(bin, 'screen-agent'), 0o755);
  return machine;
}

async function create(machine: Machine) {
  const hostEnv = { ...machine.env, PATH: `${join(machine.root, 'bin')}:${machine.env.PATH}` };
  return machine.client.sessions.create({ agent: 'screen', cwd: machine.work, hostEnv });
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
