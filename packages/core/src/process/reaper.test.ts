import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isAlive, isReaper } from '../../test/engine.ts';
import { startHost } from '../../test/run-host.ts';
import { listProcesses } from './process-table.ts';

interface Member {
  pid: number;
  name: string;
}

/** Starts the host and resolves when every process of its agent's tree has printed its pid. */
async function startFamily(family: readonly string[], terminal: boolean) {
  const { child, finished } = startHost('abandon.ts', [`${family.join('\n')}\nwait`, ...(terminal ? ['pty'] : [])]);
  let output = '';
  const members = await new Promise<Member[]>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      const found = [...output.matchAll(/^pid (\d+) (\S+)\r?\n/gm)].map(([, pid, name = '']) => ({
        pid: Number(pid),
        name,
      }));
      if (found.length === family.length) resolve(found);
    });
    void finished.then(({ stderr }) => reject(new Error(`the host has ended: ${stderr}`)));
  });
  const scratch = /^scratch (.*)$/m.exec(output)?.[1] ?? '';
  return { host: child, finished, members, scratch, reapers: reapersOf(child.pid ?? -1) };
}

function reapersOf(host: number): Member[] {
  const children = listProcesses().filter(({ pid, parent }) => parent === host && isReaper(pid));
  return children.map(({ pid }) => ({ pid, name: 'reaper' }));
}

async function expectGone(members: readonly Member[]): Promise<void> {
  await expect.poll(() => members.filter(({ pid }) => isAlive(pid)), { timeout: 10_000 }).toEqual([]);
}

/** Processes that an agent may have started, by name. */
const FAMILY = [
  'echo pid $$ agent',
  'sleep 1000 & echo pid $! child',
  `sh -c 'trap "" TERM HUP INT; echo pid $$ deaf; sleep 1000; sleep 1000' &`,
  detached('session', 'sleep 1000 >/dev/null 2>&1'),
  `(${detached('orphan', 'sleep 1000 >/dev/null 2>&1 </dev/null')})`,
];
/** Not on a terminal, which hangs up when the host dies: parents are lost immediately, and its name may be reused. */
const NAMELESS = [
  `env -i ${detached('nameless', 'sleep 1000 >/dev/null 2>&1')}`,
  `(env -i ${detached('nameless-orphan', 'sleep 1000')})`,
];
function detached(name: string, command: string): string {
  return `setsid sh -c 'echo pid $$ ${name}; ${command}' &`;
}

describe.runIf(process.platform === 'linux')('host after SIGKILL', () => {
  it.each([
    ['', [...FAMILY, ...NAMELESS]],
    [' on a terminal', FAMILY],
  ])('ends its agent%s, the whole process tree and the scratch folder', async (terminal, family) => {
    const { host, finished, members, scratch, reapers } = await startFamily(family, terminal !== '');
    expect(members.filter(({ pid }) => !isAlive(pid))).toEqual([]);
    expect(existsSync(scratch)).toBe(true);
    host.kill('SIGKILL');
    await finished;
    await expectGone([...members, ...reapers]);
    expect(existsSync(scratch)).toBe(false);
  });

  it('does the same after a signal that runs no handler', async () => {
    const { host, finished, members, scratch, reapers } = await startFamily(
      ['echo pid $$ agent', 'sleep 1000 & echo pid $! child'],
      false,
    );
    host.kill('SIGTERM');
    await finished;
    await expectGone([...members, ...reapers]);
    expect(existsSync(scratch)).toBe(false);
  });

  it('has a reaper that survives the signals that end a host', async () => {
    const { host, finished, members, reapers } = await startFamily(
      ['echo pid $$ agent', 'sleep 1000 & echo pid $! child'],
      false,
    );
    expect(reapers).toHaveLength(1);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(reapers[0]?.pid ?? 0, signal);
    host.kill('SIGKILL');
    await finished;
    await expectGone([...members, ...reapers]);
  });
});
