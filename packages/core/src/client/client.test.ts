import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeAdapter, type FakeAdapterOptions, type Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import {
  eventsOf,
  isAlive,
  live,
  next,
  nextReport,
  nothingLeftOf,
  sessionStart,
  text,
  turnEnd,
  typed,
  useBench,
} from '../../test/engine.ts';

const bench = useBench();
const hang: Step = { do: 'hang' };
const hello = [sessionStart, text('hello'), turnEnd];
const version = (text: string): Step[] => [{ do: 'line', text }];

/** Counts the version queries. */
function countQueries(steps: Step[], options: Partial<FakeAdapterOptions> = {}) {
  const counter = join(bench.folder(), 'queries');
  const versionSteps: Step[] = [{ do: 'append', path: counter, text: 'x' }, ...steps];
  return {
    options: { steps: hello, versionSteps, ...options },
    times: () => (existsSync(counter) ? readFileSync(counter, 'utf8').length : 0),
  };
}

class Verified extends FakeAdapter {
  override readonly verifiedVersions = ['1.2.3'];
  override readonly minVersion = '1.0.0';
}

describe('version check of a run', () => {
  it('is skipped if no version is required', async () => {
    const { options, times } = countQueries(version('1.2.3'));
    await bench.use(new FakeAdapter(options)).run();
    expect(times()).toBe(0);
  });

  it('runs once for many runs, in parallel to them', async () => {
    const { options, times } = countQueries(version('1.2.3'));
    const { run, client } = bench.use(new Verified(options));
    await Promise.all([run(), run(), run(), client.adapters.detect('fake'), client.adapters.installed()]);
    await run();
    expect(times()).toBe(1);
    // A previous detection says nothing about the agent's health.
    await client.health('fake');
    expect(times()).toBe(2);
  });

  it('does not delay the run', async () => {
    const { options } = countQueries([hang]);
    const result = await bench.use(new Verified(options)).run();
    expect(result).toMatchObject({ text: 'hello', exitReason: 'completed' });
    expect(result.durationMs).toBeLessThan(4500);
  });

  it.each([
    ['1.2.4', 'version_unverified'],
    ['0.9.0', 'version_too_old'],
  ])('reports that %s is %s', async (installed, code) => {
    const { options } = countQueries(version(installed), { steps: live([text('hello'), hang]) });
    const handle = bench.use(new Verified(options)).run();
    const note = await next(handle, 'debug');
    expect(note).toMatchObject({ level: 'warn', code, message: expect.stringContaining(installed) });
    await handle.abort();
  });

  it('reports nothing for a verified version', async () => {
    const { options, times } = countQueries(version('1.2.3'), {
      steps: live([text('hello'), { do: 'wait', ms: 500 }, turnEnd]),
    });
    const events = await eventsOf(bench.use(new Verified(options)).run());
    expect(times()).toBe(1);
    expect(typed(events, 'debug')).toEqual([]);
  });

  it('reports that a built-in adapter was replaced', async () => {
    const { client, run } = bench.fake(hello);
    client.adapters.register(new FakeAdapter({ steps: hello }));
    const events = await eventsOf(run());
    expect(typed(events, 'debug')).toMatchObject([{ code: 'built_in_overridden' }]);
  });
});

describe('health', () => {
  it('is good for an agent that answers, with its version', async () => {
    const { client } = bench.use(new FakeAdapter({ steps: [], versionSteps: version('v2.0.1') }));
    expect(await client.health('fake')).toMatchObject({
      healthy: true,
      message: 'fake 2.0.1',
      details: { installed: true },
    });
  });

  it('answers within 5 s even if the CLI hangs', async () => {
    const { client } = bench.use(new Verified({ steps: [], versionSteps: [hang] }));
    const start = performance.now();
    expect(await client.health('fake')).toMatchObject({ healthy: false });
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('is good for an agent that requires a version and reports none', async () => {
    const { client } = bench.use(new Verified({ steps: [], versionSteps: version('Verified CLI') }));
    expect(await client.health('fake')).toMatchObject({ healthy: true });
  });

  it('is bad for an agent that is too old or not installed', async () => {
    const old = bench.use(new Verified({ steps: [], versionSteps: version('0.1.0') }));
    expect(await old.client.health('fake')).toMatchObject({
      healthy: false,
      message: 'fake 0.1.0 is older than 1.0.0',
    });
    class Absent extends FakeAdapter {
      override readonly cliCommand = 'no-such-agent-anywhere' as never;
    }
    const absent = bench.use(new Absent({ steps: [], versionSteps: [] }));
    expect(await absent.client.health('fake')).toMatchObject({ healthy: false, message: 'fake is not installed' });
    await expect(absent.client.health('claud')).rejects.toMatchObject({ code: 'UNKNOWN_AGENT' });
  });
});

describe('close', () => {
  it('ends every child of every run and accepts no more runs', async () => {
    const steps: Step[] = [sessionStart, { do: 'grandchild', detached: true }, text('working'), hang];
    const { client, run } = bench.fake(steps);
    const other = live([{ do: 'describe' }, turnEnd]);
    client.adapters.register(new FakeAdapter({ agent: 'idle', steps: other }));
    const idle = client.run({ agent: 'idle', prompt: 'go', interactive: true });
    const described = nextReport(idle, 'process');
    const working = [run(), run()];
    const opening = run();
    await Promise.all([...working.map((handle) => next(handle, 'text_delta')), described]);
    await client.close();
    for (const handle of [...working, idle, opening]) {
      expect(await handle).toMatchObject({ exitReason: 'aborted', error: { message: 'the client was closed' } });
      expect(nothingLeftOf(handle)).toBe(true);
    }
    expect(isAlive((await described).pid)).toBe(false);
    expect(() => run()).toThrow(/this client is closed/);
    await expect(client.runOnce({ agent: 'fake', prompt: 'go' })).rejects.toMatchObject({ code: 'RUN_ENDED' });
    await client.close();
  });
});

describe('as a library', () => {
  const counts = () => {
    const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGPIPE', 'SIGCHLD', 'SIGWINCH', 'SIGUSR1', 'SIGUSR2'];
    const others = [
      'exit',
      'beforeExit',
      'uncaughtException',
      'unhandledRejection',
      'warning',
      'disconnect',
      'message',
    ];
    return Object.fromEntries([...names, ...others].map((name) => [name, process.listenerCount(name)]));
  };

  it('installs no process-wide handlers before, during or after a run', async () => {
    const before = counts();
    const { client, run } = bench.fake(live([text('hello'), { do: 'wait', ms: 50 }, turnEnd]));
    expect(counts()).toEqual(before);
    const handle = run();
    await next(handle, 'text_delta');
    expect(counts()).toEqual(before);
    await handle;
    await client.close();
    expect(counts()).toEqual(before);
  });

  it('prints nothing, lets the program exit, and leaves listener errors to it', () => {
    const program = `
      import { createClient } from '@agent-mux/core';
      import { FakeAdapter } from '@agent-mux/testkit';
      const noise = { do: 'line', text: 'noise', to: 'stderr' };
      const event = (body) => ({ do: 'event', event: body });
      const steps = [noise, event({ type: 'session_start' }), event({ type: 'text_delta', delta: 'x' }), noise, { do: 'exit', code: 1 }];
      const client = createClient({ adapters: [new FakeAdapter({ steps })], runIndex: false });
      process.on('uncaughtException', (error) => console.log('uncaught: ' + error.message));
      const handle = client.run({ agent: 'fake', prompt: 'go', debug: true });
      handle.on('text_delta', () => { throw new Error('listener failed'); });
      client.run({ agent: 'fake', prompt: 'go', model: 'm' });
      console.log((await handle).exitReason);
    `;
    const args = ['--conditions=agent-mux-source', '--input-type=module', '--eval', program];
    const { NODE_OPTIONS: _options, ...env } = process.env;
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, env, encoding: 'utf8' });
    expect({ stdout, stderr }).toEqual({ stdout: 'uncaught: listener failed\ncrashed\n', stderr: '' });
  });
});

describe('client host', () => {
  it('is the agent whose variables this process has', () => {
    class Hosting extends FakeAdapter {
      override readonly hostEnvSignals = ['FAKE_HOST'];
    }
    const inside = bench.use(new Hosting({ steps: [] }), { env: { FAKE_HOST: '1' } });
    expect(inside.client.detectHost()).toEqual({ agent: 'fake', signal: 'FAKE_HOST' });
    expect(bench.use(new Hosting({ steps: [] }), { env: {} }).client.detectHost()).toBeNull();
  });
});
