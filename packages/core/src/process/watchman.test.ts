import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isAlive, isWatchman } from '../../test/engine.ts';
import { startHost } from '../../test/run-host.ts';
import { listProcesses } from './process-table.ts';

interface Member {
  pid: number;
  name: string;
}

/** Starts the host, and resolves when every member of its agent's family has told its pid. */
async function startFamily(family: readonly string[], terminal: boolean) {
  const { child, finished } = startHost('abandon.ts', [`${family.join('\n')}\nwait`, ...(terminal ? ['pty'] : [])]);
  let said = '';
  const members = await new Promise<Member[]>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      said += chunk;
      const told = [...said.matchAll(/^pid (\d+) (\S+)\r?\n/gm)].map(([, pid, name = '']) => ({
        pid: Number(pid),
        name,
      }));
      if (told.length === family.length) resolve(told);
    });
    void finished.then(({ stderr }) => reject(new Error(`the host has ended: ${stderr}`)));
  });
  const scratch = /^scratch (.*)$/m.exec(said)?.[1] ?? '';
  return { host: child, finished, members, scratch, watchmen: watchmenOf(child.pid ?? -1) };
}

function watchmenOf(host: number): Member[] {
  const children = listProcesses().filter(({ pid, parent }) => parent === host && isWatchman(pid));
  return children.map(({ pid }) => ({ pid, name: 'watchman' }));
}

async function expectGone(members: readonly Member[]): Promise<void> {
  await expect.poll(() => members.filter(({ pid }) => isAlive(pid)), { timeout: 10_000 }).toEqual([]);
}

/** What an agent may have started, by what each calls itself. */
const FAMILY = [
  'echo pid $$ agent',
  'sleep 1000 & echo pid $! child',
  `sh -c 'trap "" TERM HUP INT; echo pid $$ deaf; sleep 1000; sleep 1000' &`,
  detached('session', 'sleep 1000 >/dev/null 2>&1'),
  `(${detached('orphan', 'sleep 1000 >/dev/null 2>&1 </dev/null')})`,
];
/** Not on a terminal, which hangs up when the host goes: parents are lost at once, and its name is not its own for ever. */
const NAMELESS = [
  `env -i ${detached('nameless', 'sleep 1000 >/dev/null 2>&1')}`,
  `(env -i ${detached('nameless-orphan', 'sleep 1000')})`,
];
function detached(name: string, command: string): string {
  return `setsid sh -c 'echo pid $$ ${name}; ${command}' &`;
}

describe.runIf(process.platform === 'linux')('a host that is killed with -9', () => {
  it.each([
    ['', [...FAMILY, ...NAMELESS]],
    [' on a terminal', FAMILY],
  ])('takes with it its agent%s, all that it has started, and its scratch folder', async (terminal, family) => {
    const { host, finished, members, scratch, watchmen } = await startFamily(family, terminal !== '');
    expect(members.filter(({ pid }) => !isAlive(pid))).toEqual([]);
    expect(existsSync(scratch)).toBe(true);
    host.kill('SIGKILL');
    await finished;
    await expectGone([...members, ...watchmen]);
    expect(existsSync(scratch)).toBe(false);
  });

  it('so does one that a signal ends, which runs no code of it either', async () => {
    const { host, finished, members, scratch, watchmen } = await startFamily(
      ['echo pid $$ agent', 'sleep 1000 & echo pid $! child'],
      false,
    );
    host.kill('SIGTERM');
    await finished;
    await expectGone([...members, ...watchmen]);
    expect(existsSync(scratch)).toBe(false);
  });

  it('the watchman outlives the signals that end a host', async () => {
    const { host, finished, members, watchmen } = await startFamily(
      ['echo pid $$ agent', 'sleep 1000 & echo pid $! child'],
      false,
    );
    expect(watchmen).toHaveLength(1);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(watchmen[0]?.pid ?? 0, signal);
    host.kill('SIGKILL');
    await finished;
    await expectGone([...members, ...watchmen]);
  });
});
