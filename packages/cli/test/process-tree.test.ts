import { listProcessTree } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import {
  createTestHome,
  hasScript,
  onTerminal,
  type Started,
  start,
  type TestHome,
  userConfig,
  writeConfig,
} from './amux.ts';

/** An agent with a child, a detached child and an orphan in its own session. Exits when interrupted. */
const AGENT = `trap 'exit 130' INT
sleep 1000 & echo pid $!
setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo pid $!
(setsid sh -c 'echo pid $$; exec sleep 1000 >/dev/null 2>&1 </dev/null' &)
while :; do sleep 0.1; done`;

function placeWithAgent(): TestHome {
  const testHome = createTestHome();
  const job = { command: '/bin/sh', args: ['-c', AGENT] };
  writeConfig(userConfig(testHome), { agents: [{ id: 'family', name: 'Family', profile: 'generic-job', job }] });
  return testHome;
}

async function familyOf(run: Started): Promise<number[]> {
  await run.until(/(?:pid \d+[\s\S]*?){3}/);
  return [...run.output().matchAll(/pid (\d+)/g)].map((match) => Number(match[1]));
}

/** A zombie, which only waits for its parent, does not count. */
function isAlive(pid: number): boolean {
  return listProcessTree(pid, 'none').some((member) => member.pid === pid);
}

describe.runIf(process.platform === 'linux')('process tree of an agent', () => {
  it('is gone soon after amux is killed with SIGKILL', async () => {
    const run = start(placeWithAgent(), ['run', '-a', 'family', '--json', 'go']);
    run.child.stdin?.end();
    const family = await familyOf(run);
    run.child.kill('SIGKILL');
    await run.finished;
    await expect.poll(() => family.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  });

  it.runIf(hasScript)('is gone after Ctrl-C has ended amux', async () => {
    const run = onTerminal(placeWithAgent(), ['run', '-a', 'family', 'go'], { NO_COLOR: '1' });
    const family = await familyOf(run);
    run.child.stdin?.write('\x03');
    await run.finished;
    expect(family.filter(isAlive)).toEqual([]);
  });
});
