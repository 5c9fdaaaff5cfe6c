import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Step, startFakeAgent } from '@agent-mux/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  eventsOf,
  isAlive,
  live,
  next,
  nothingLeftOf,
  reports,
  sessionStart,
  text,
  until,
  useBench,
} from '../../test/engine.ts';
import { runHost } from '../../test/run-host.ts';
import { BaseAgentAdapter } from '../adapter/base-adapter.ts';
import type { SpawnArgs } from '../contract/adapter.ts';
import { NO_CAPABILITIES } from '../contract/capabilities.ts';
import type { EventBody } from '../contract/events.ts';
import type { ResolvedRunOptions } from '../contract/options.ts';
import { listStandardStreams } from './process-table.ts';
import { listProcessTree, RUN_ID_VARIABLE, signalProcesses, terminateProcessTree } from './terminate.ts';

const bench = useBench();
const hang: Step = { do: 'hang' };
const strangers: ChildProcess[] = [];
afterAll(() => {
  for (const child of strangers) child.kill('SIGKILL');
});

/** Leads its own group and belongs to no run. */
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
    ['a child with its own group', [{ do: 'grandchild', detached: true }]],
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
    expect(listProcessTree(-1, handle.runId).length).toBeGreaterThanOrEqual(2);
    await handle.abort();
    expect(nothingLeftOf(handle)).toBe(true);
    for (const { pid } of reports(await reading, 'grandchild')) expect(isAlive(pid)).toBe(false);
  });

  it('ends a detached child whose parent is already gone', async () => {
    const orphan: Step = { do: 'grandchild', steps: [{ do: 'grandchild', detached: true }] };
    const handle = bench.fake(live([orphan, text('left'), hang])).run();
    await next(handle, 'text_delta');
    await handle.abort();
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('lets the agent clean up before it is killed', async () => {
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

/** Leaves group, session, parent and environment; only its pid is known. */
const shed = (streams: string) =>
  `(setsid env -i /bin/sh -c '(sleep 600 & echo $! >"$0"; wait) ${streams} &' "$PID_FILE" &)`;

/** Runs a shell script as an agent, which then waits. */
class ShellAgent extends BaseAgentAdapter {
  readonly agent = 'shell';
  readonly displayName = 'Shell agent';
  readonly cliCommand = '/bin/sh';
  override readonly needsNoInstall = true;
  override readonly capabilities = { ...NO_CAPABILITIES, approvalModes: ['prompt'] as const };
  readonly #script: string;
  readonly pidFile = join(bench.folder(), 'pid');

  constructor(script: string) {
    super();
    this.#script = script;
  }

  buildSpawnArgs({ cwd }: ResolvedRunOptions): SpawnArgs {
    const env = { PID_FILE: this.pidFile, PATH: process.env.PATH ?? '' };
    return { command: '/bin/sh', args: ['-c', this.#script], env, cwd, usePty: false };
  }

  parseEvent(line: string): EventBody {
    return { type: 'text_delta', delta: line };
  }

  async pid(): Promise<number> {
    const read = () => (existsSync(this.pidFile) ? Number(readFileSync(this.pidFile, 'utf8')) : 0);
    await until(() => read() > 0);
    return read();
  }
}

describe.runIf(process.platform === 'linux')('descendant without group, parent and environment', () => {
  it.each([
    ['stdout', '</dev/null 2>/dev/null'],
    ['stderr', '</dev/null >/dev/null'],
    ['stdin', '>/dev/null 2>&1'],
  ])('is ended by an abort while it holds %s', async (_stream, streams) => {
    const agent = new ShellAgent(`exec 3<&0; ${shed(streams.replace('2>&1', '2>&1 <&3'))}; echo there; sleep 600`);
    const handle = bench.use(agent).run();
    const pid = await agent.pid();
    expect(isAlive(pid)).toBe(true);
    await handle.abort();
    expect(isAlive(pid)).toBe(false);
  });

  it('is ended when its agent has exited and it is silent', async () => {
    const agent = new ShellAgent(`${shed('</dev/null')}; while [ ! -s "$PID_FILE" ]; do :; done; echo done`);
    const handle = bench.use(agent).run();
    expect(await handle).toMatchObject({ exitReason: 'completed', text: 'done' });
    expect(isAlive(await agent.pid())).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('process that holds a stream of the agent', () => {
  it('is not a descendant if it existed before', async () => {
    const older = await stranger();
    // Its leader, which is gone, started later.
    const origin = { startTime: '1e15', streams: listStandardStreams(older) };
    await terminateProcessTree({ pid: 2 ** 30, mark: 'no-such-mark', exited: () => true, origin });
    expect(isAlive(older)).toBe(true);
    await terminateProcessTree({
      pid: 2 ** 30,
      mark: 'no-such-mark',
      exited: () => true,
      origin: { ...origin, startTime: '0' },
    });
    expect(isAlive(older)).toBe(false);
  });
});

describe('two runs with one id, of two clients', () => {
  it('do not end each other', async () => {
    const [one, two] = [1, 2].map(() => bench.fake([sessionStart, text('there'), hang]).run({ runId: 'twin' }));
    await Promise.all([next(one!, 'text_delta'), next(two!, 'text_delta')]);
    expect(await one!.abort()).toMatchObject({ exitReason: 'aborted' });
    expect(listProcessTree(-1, 'twin')).toHaveLength(1);
    await two!.abort();
    expect(listProcessTree(-1, 'twin')).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('host without a free descriptor', () => {
  it.each([
    ['with its reserved one', 'spare'],
    ['without the process table if that is used up', 'none'],
  ])('ends its agent, %s', async (_how, held) => {
    const { pids, exitReason } = z
      .object({ pids: z.array(z.number()), exitReason: z.string() })
      .parse(await runHost('no-descriptors.ts', [held], { descriptors: 64 }));
    expect(exitReason).toBe('aborted');
    expect(pids.length).toBeGreaterThanOrEqual(1);
    for (const pid of pids) expect(isAlive(pid)).toBe(false);
  });
});

describe('process tree', () => {
  it('includes processes that left the group and environment while their parent lives', async () => {
    const hidden = `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'],
      { detached: true, env: {}, stdio: 'ignore' }); console.log(child.pid)`;
    const parent = spawn(process.execPath, ['-e', `${hidden}; setInterval(() => {}, 1000)`], {
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    strangers.push(parent);
    const [line] = await once(parent.stdout, 'data');
    const pids = [parent.pid ?? -1, Number(line)];
    expect(listProcessTree(parent.pid ?? -1, 'no-such-mark').map(({ pid }) => pid)).toEqual(pids);
    await terminateProcessTree({ pid: parent.pid ?? -1, mark: 'no-such-mark', exited: () => parent.exitCode !== null });
    for (const pid of pids) expect(isAlive(pid)).toBe(false);
  });
});

describe('reused pid', () => {
  it('is not signalled: the start time must match', async () => {
    const pid = await stranger();
    const [known] = listProcessTree(pid, 'no-such-mark');
    expect(signalProcesses([{ pid, startTime: '1' }], 'SIGKILL')).toBe(false);
    expect(isAlive(pid)).toBe(true);
    expect(known?.pid).toBe(pid);
    expect(signalProcesses(known ? [known] : [], 'SIGCONT')).toBe(true);
  });

  it('is not part of the tree of an exited leader', async () => {
    const pid = await stranger();
    expect(listProcessTree(pid, 'no-such-mark', false).map((member) => member.pid)).toEqual([pid]);
    expect(listProcessTree(pid, 'no-such-mark', true)).toEqual([]);
    await terminateProcessTree({ pid, mark: 'no-such-mark', exited: () => true });
    expect(isAlive(pid)).toBe(true);
  });

  it('does not hide processes that carry the run id', async () => {
    const agent = startFakeAgent([{ do: 'describe' }, hang], { env: { ...process.env, [RUN_ID_VARIABLE]: 'run-42' } });
    await agent.report('process');
    const other = await stranger();
    expect(listProcessTree(other, 'run-42', true).map((member) => member.pid)).toEqual([agent.pid]);
    await terminateProcessTree({ pid: other, mark: `${RUN_ID_VARIABLE}=run-42`, exited: () => true });
    expect(await agent.exited).toMatchObject({ signal: 'SIGTERM' });
    expect(isAlive(other)).toBe(true);
  });
});
