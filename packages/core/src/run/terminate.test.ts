import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Step, startFakeAgent } from '@agent-mux/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import {
  eventsOf,
  isAlive,
  live,
  next,
  nothingLeftOf,
  reports,
  sessionStart,
  text,
  useBench,
} from '../../test/engine.ts';
import { processFamily, RUN_ID_VARIABLE, signalProcesses, terminateFamily } from './terminate.ts';

const bench = useBench();
const hang: Step = { do: 'hang' };
const strangers: ChildProcess[] = [];
afterAll(() => {
  for (const child of strangers) child.kill('SIGKILL');
});

/** Leads a group of its own and belongs to no run. */
async function stranger(): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  strangers.push(child);
  await once(child.stdout, 'data');
  return child.pid ?? -1;
}

describe('aborting a run', () => {
  const families: [string, Step[]][] = [
    ['its child', [{ do: 'grandchild' }]],
    ['a child of its own group', [{ do: 'grandchild', detached: true }]],
    ['a child that ignores SIGTERM', [{ do: 'grandchild', ignoreSignals: ['SIGTERM', 'SIGHUP'] }]],
    ['a detached child that ignores SIGTERM', [{ do: 'grandchild', detached: true, ignoreSignals: ['SIGTERM'] }]],
    [
      'a detached child of a detached child',
      [{ do: 'grandchild', detached: true, steps: [{ do: 'grandchild', detached: true }, hang] }],
    ],
    ['an agent that ignores SIGTERM itself', [{ do: 'ignore-signals', signals: ['SIGTERM'] }, { do: 'grandchild' }]],
  ];
  it.concurrent.each(families)('ends the agent and %s', async (_who, steps) => {
    const handle = bench.fake([sessionStart, ...steps, text('all there'), hang]).run();
    const reading = eventsOf(handle);
    await next(handle, 'text_delta');
    expect(processFamily(-1, handle.runId).length).toBeGreaterThanOrEqual(2);
    await handle.abort();
    expect(nothingLeftOf(handle)).toBe(true);
    for (const { pid } of reports(await reading, 'grandchild')) expect(isAlive(pid)).toBe(false);
  });

  it('ends a detached child whose parent is gone already', async () => {
    const orphan: Step = { do: 'grandchild', steps: [{ do: 'grandchild', detached: true }] };
    const handle = bench.fake(live([orphan, text('left'), hang])).run();
    await next(handle, 'text_delta');
    await handle.abort();
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('lets the agent clean up: it is asked before it is killed', async () => {
    const onTerm: Step = {
      do: 'on-signal',
      signals: ['SIGTERM'],
      run: [{ do: 'append', path: `${bench.folder()}/tidy`, text: 'x' }],
    };
    const handle = bench.fake([sessionStart, onTerm, text('ready'), hang]).run();
    await next(handle, 'text_delta');
    const result = await handle.abort();
    expect(result.exitCode).toBe(0);
  });
});

describe('a family', () => {
  it('has those who left the group and the environment, as long as their parent lives', async () => {
    const hidden = `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'],
      { detached: true, env: {}, stdio: 'ignore' }); console.log(child.pid)`;
    const parent = spawn(process.execPath, ['-e', `${hidden}; setInterval(() => {}, 1000)`], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    strangers.push(parent);
    const [line] = await once(parent.stdout, 'data');
    const pids = [parent.pid ?? -1, Number(line)];
    expect(processFamily(parent.pid ?? -1, 'nobody').map(({ pid }) => pid)).toEqual(pids);
    await terminateFamily({ pid: parent.pid ?? -1, runId: 'nobody', exited: () => parent.exitCode !== null });
    for (const pid of pids) expect(isAlive(pid)).toBe(false);
  });
});

describe('a pid that was given to another process', () => {
  it('is not signalled: the start time must be the same', async () => {
    const pid = await stranger();
    const [known] = processFamily(pid, 'nobody');
    expect(signalProcesses([{ pid, startTime: '1' }], 'SIGKILL')).toBe(false);
    expect(isAlive(pid)).toBe(true);
    expect(known?.pid).toBe(pid);
    expect(signalProcesses(known ? [known] : [], 'SIGCONT')).toBe(true);
  });

  it('is no part of the family of a leader that has exited', async () => {
    const pid = await stranger();
    expect(processFamily(pid, 'nobody', false).map((member) => member.pid)).toEqual([pid]);
    expect(processFamily(pid, 'nobody', true)).toEqual([]);
    await terminateFamily({ pid, runId: 'nobody', exited: () => true });
    expect(isAlive(pid)).toBe(true);
  });

  it('does not hide those who carry the run id', async () => {
    const agent = startFakeAgent([{ do: 'describe' }, hang], { env: { ...process.env, [RUN_ID_VARIABLE]: 'run-42' } });
    await agent.report('process');
    const other = await stranger();
    expect(processFamily(other, 'run-42', true).map((member) => member.pid)).toEqual([agent.pid]);
    await terminateFamily({ pid: other, runId: 'run-42', exited: () => true });
    expect(await agent.exited).toMatchObject({ signal: 'SIGTERM' });
    expect(isAlive(other)).toBe(true);
  });
});
