import { listFamily } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { hasScript, newPlace, onTerminal, type Place, type Started, start, userConfig, writeConfig } from './amux.ts';

/** An agent with a child, a detached one, and an orphan in a session of its own. It leaves by itself when it is interrupted. */
const AGENT = `trap 'exit 130' INT
sleep 1000 & echo pid $!
setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo pid $!
(setsid sh -c 'echo pid $$; exec sleep 1000 >/dev/null 2>&1 </dev/null' &)
while :; do sleep 0.1; done`;

function placeWithAgent(): Place {
  const place = newPlace();
  const job = { command: '/bin/sh', args: ['-c', AGENT] };
  writeConfig(userConfig(place), { agents: [{ id: 'family', name: 'Family', profile: 'generic-job', job }] });
  return place;
}

async function familyOf(run: Started): Promise<number[]> {
  await run.until(/(?:pid \d+[\s\S]*?){3}/);
  return [...run.output().matchAll(/pid (\d+)/g)].map((match) => Number(match[1]));
}

/** A zombie, which only waits for its parent, is not. */
function isAlive(pid: number): boolean {
  return listFamily(pid, 'nobody').some((member) => member.pid === pid);
}

describe.runIf(process.platform === 'linux')('what an agent has started', () => {
  it('is gone soon after amux was killed with -9', async () => {
    const run = start(placeWithAgent(), ['run', '-a', 'family', '--json', 'go']);
    run.child.stdin?.end();
    const family = await familyOf(run);
    run.child.kill('SIGKILL');
    await run.finished;
    await expect.poll(() => family.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  });

  it.runIf(hasScript)('is gone when Ctrl-C has ended amux', async () => {
    const run = onTerminal(placeWithAgent(), ['run', '-a', 'family', 'go'], { NO_COLOR: '1' });
    const family = await familyOf(run);
    run.child.stdin?.write('\x03');
    await run.finished;
    expect(family.filter(isAlive)).toEqual([]);
  });
});
