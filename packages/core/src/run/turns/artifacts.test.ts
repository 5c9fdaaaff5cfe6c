import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FakeAdapter, type Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { eventsOf, live, next, reports, sessionStart, text, turnEnd, typed, useBench } from '../../../test/engine.ts';
import type { SpawnArgs } from '../../contract/adapter.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import { LAUNCH_VARIABLE, RUN_ID_VARIABLE } from '../../process/terminate.ts';
import { readRunIndex } from '../log/run-index.ts';

const bench = useBench();
const hello = [sessionStart, text('hello'), turnEnd];

describe('run index', () => {
  it('records every started run in the given folder or the working directory', async () => {
    const runIndex = bench.folder();
    const cwd = bench.folder();
    const { run } = bench.fake(hello, {}, { runIndex });
    const result = await run({ cwd, tags: ['t'] });
    const { records } = await readRunIndex(runIndex);
    expect(records).toMatchObject([
      { runId: result.runId, agent: 'fake', exitReason: 'completed', cwd, tags: ['t'], sessionId: result.sessionId },
    ]);
    expect(JSON.stringify(records)).not.toContain('hello');
    await bench.fake(hello, {}, { runIndex: undefined }).run({ cwd });
    expect((await readRunIndex(cwd)).records).toHaveLength(1);
  });

  it('records no run without a session, and nothing if it is off', async () => {
    const cwd = bench.folder();
    await bench.fake(hello, {}, { runIndex: undefined }).run({ cwd, noSession: true });
    await bench.fake(hello, {}, { runIndex: false }).run({ cwd });
    expect(readdirSync(cwd)).toEqual([]);
  });

  it('does not fail the run if it cannot be written', async () => {
    const { run } = bench.fake(hello, {}, { runIndex: '/proc/nowhere' });
    expect(await run()).toMatchObject({ exitReason: 'completed' });
  });
});

describe('trace', () => {
  const records = (path: string) =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  it.each(['live', 'oneshot'] as const)('contains every byte in and out of a %s run', async (mode) => {
    const noise: Step = { do: 'line', text: 'noise', to: 'stderr' };
    const many: Step = { do: 'flood', lines: 20_000, bytes: 300 };
    const work: Step[] = [noise, many, text('the last word'), turnEnd];
    const steps: Step[] = mode === 'live' ? live(work) : [{ do: 'read-all' }, sessionStart, ...work];
    const tracePath = join(bench.folder(), 'trace.jsonl');
    const handle = bench.fake(steps, { mode }).run({ tracePath, prompt: 'the prompt' });
    await handle;
    const [head, ...rest] = records(tracePath);
    expect(head).toMatchObject({ runId: handle.runId, agent: 'fake' });
    const all = (dir: string) => rest.flatMap((each) => (each.dir === dir ? each.data : [])).join('');
    expect(all('in')).toContain('the prompt');
    expect(all('stdout')).toContain('"delta":"the last word"');
    expect(all('stderr')).toBe('noise\n');
    expect(statSync(tracePath).mode & 0o077).toBe(0);
  });

  it.runIf(process.platform === 'linux')('is closed at the end of the run', async () => {
    const tracePath = join(bench.folder(), 'trace.jsonl');
    await bench.fake(hello).run({ tracePath });
    const open = readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(join('/proc/self/fd', fd)) === tracePath;
      } catch {
        return false;
      }
    });
    expect(open).toEqual([]);
  });

  it('is refused before a process starts if it cannot be opened', () => {
    const { run } = bench.fake(hello);
    expect(() => run({ tracePath: '/nonexistent/folder/trace.jsonl' })).toThrow(/tracePath: the folder of/);
  });

  it('reports a write error while the run continues', async () => {
    const handle = bench.fake(live([text('hello'), { do: 'wait', ms: 200 }, turnEnd])).run({ tracePath: '/dev/full' });
    const events = await eventsOf(handle);
    expect(typed(events, 'debug')).toMatchObject([{ level: 'warn', code: 'trace_failed' }]);
    expect(await handle).toMatchObject({ text: 'hello', exitReason: 'completed' });
  });
});

describe('helper files', () => {
  /** Too long for a command line, so it becomes a file. */
  const long = (...steps: Step[]): Step[] => [...steps, { do: 'line', text: 'x'.repeat(130_000), to: 'stderr' }];
  /** Records the path of its scratch folder. */
  class Recording extends FakeAdapter {
    scratch = '';
    override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
      this.scratch = options.scratchDir;
      return super.buildSpawnArgs(options);
    }
  }
  const start = (adapter: Recording) => bench.use(adapter).run();

  it('exist only during the run and are readable only by the user', async () => {
    const adapter = new Recording({ steps: long(...live([text('there'), { do: 'await-steer' }, turnEnd])) });
    const handle = start(adapter);
    await next(handle, 'text_delta');
    expect(adapter.scratch).not.toContain(handle.runId);
    expect(statSync(adapter.scratch).mode & 0o077).toBe(0);
    expect(statSync(join(adapter.scratch, 'script.json')).mode & 0o077).toBe(0);
    await handle.steer('go');
    await handle;
    expect(existsSync(adapter.scratch)).toBe(false);
  });

  it('are removed after an abort, a crash and a refusal too', async () => {
    const hanging = new Recording({ steps: long(sessionStart, text('there'), { do: 'hang' }) });
    const hang = start(hanging);
    await next(hang, 'text_delta');
    await hang.abort();
    const crashing = new Recording({ steps: long(sessionStart, { do: 'exit', code: 1 }) });
    await start(crashing);
    class Wandering extends Recording {
      override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
        return { ...super.buildSpawnArgs(options), files: { 'a.json': '{}', '../b.json': '{}' } };
      }
    }
    const wandering = new Wandering({ steps: hello });
    await expect(start(wandering)).rejects.toThrow(/must stay below the scratch folder/);
    for (const { scratch } of [hanging, crashing, wandering]) expect(existsSync(scratch)).toBe(false);
  });
});

describe('environment of an agent', () => {
  class Hosting extends FakeAdapter {
    override readonly hostEnvSignals = ['FAKE_AGENT_HOST'];
  }
  const env = {
    PATH: process.env.PATH,
    HOME: '/home/user',
    FAKE_AGENT_KEY: 'k',
    FAKE_AGENT_HOST: '1',
    OTHER_AGENT_KEY: 'secret',
    LC_ALL: 'C',
  };
  const seen = async (options = {}) => {
    const { run } = bench.use(new Hosting({ steps: [sessionStart, { do: 'describe' }] }), { env });
    const handle = run(options);
    const [{ env: child } = { env: {} }] = reports(await eventsOf(handle), 'process');
    return { child, runId: handle.runId };
  };

  it("has the common variables, its own and the caller's, and no others", async () => {
    const { child, runId } = await seen({ env: { COLOR: 'red', FAKE_AGENT_KEY: 'mine' } });
    expect(child).toEqual({
      PATH: env.PATH,
      HOME: '/home/user',
      LC_ALL: 'C',
      FAKE_AGENT_KEY: 'mine',
      COLOR: 'red',
      [RUN_ID_VARIABLE]: runId,
      [LAUNCH_VARIABLE]: expect.stringContaining(runId),
    });
  });

  it('has everything on request except markers of a host agent', async () => {
    const { child } = await seen({ inheritEnv: true });
    expect(child).toMatchObject({ OTHER_AGENT_KEY: 'secret' });
    expect(child).not.toHaveProperty('FAKE_AGENT_HOST');
  });
});
