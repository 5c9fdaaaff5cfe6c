import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findSshd, type Sshd, type Step, startSshd } from '@agent-mux/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  event,
  eventsOf,
  isAlive,
  live,
  next,
  nextReport,
  nothingLeftOf,
  reports,
  sessionStart,
  text,
  turnEnd,
  typed,
  until,
  useBench,
} from '../../../test/engine.ts';
import type { AgentEvent } from '../../contract/events.ts';
import type { Invocation } from '../../contract/options.ts';
import type { RunHandle } from '../../contract/run.ts';

const bench = useBench();
const binary = findSshd();
const required = process.env.AGENT_MUX_REQUIRE_SSHD === '1';

const TURN: Step[] = [{ do: 'describe' }, text('got {{turn}}'), turnEnd];
const WORK: Step[] = [{ do: 'describe' }, sessionStart, text('working'), { do: 'hang' }];

it.runIf(required && !binary)('finds the ssh server required by AGENT_MUX_REQUIRE_SSHD', () => {
  expect.fail('no sshd on this machine: install the package openssh-server');
});
it.skipIf(required || binary)('SKIPPED, no sshd on this machine (package openssh-server): ssh is not tested', () => {});

describe.runIf(binary)('remote agent over ssh', { timeout: 60_000 }, () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd(binary!);
  }, 60_000);
  afterAll(() => sshd?.close());

  const there = (more: object = {}): Invocation => {
    const { host, port, user, args } = sshd;
    return { mode: 'ssh', host, port, user, args, ...more };
  };
  const start = (steps: Step[], options: object = {}) => {
    const cwd = bench.folder();
    return bench.fake(steps).run({ cwd, invocation: there(), prompt: "it's a 'prompt' $HOME\n`id` \\n", ...options });
  };
  const bare = (events: AgentEvent[]) =>
    events.map(({ runId: _run, timestamp: _time, sessionId: _session, ...rest }) => rest);
  const quiet = (event: AgentEvent) => event.type !== 'debug';

  it.each([
    ['a process per turn', [{ do: 'read-all' }, sessionStart, text('{{stdin}}'), turnEnd]],
    ['a conversation', live(TURN)],
  ] as [string, Step[]][])('emits the same events as a local agent: %s', async (_name, steps) => {
    const cwd = bench.folder();
    const remote = await eventsOf(start(steps, { cwd }));
    const here = await eventsOf(start(steps, { cwd, invocation: { mode: 'local' } }));
    expect(bare(remote.filter(quiet))).toEqual(bare(here.filter(quiet)));
    expect(typed(remote, 'session_end')).toMatchObject([{ reason: 'completed' }]);
  });

  it('runs several turns in one process, with approvals and steering', async () => {
    const handle = start(live([event({ type: 'text_delta', delta: 'one' }), turnEnd], TURN), { interactive: true });
    await next(handle, 'turn_end');
    await handle.send('a second\nquestion');
    await next(handle, 'turn_end');
    expect(handle.text).toBe('got a second\nquestion');
    expect(await handle.end()).toMatchObject({ exitReason: 'completed', turnCount: 2 });
  });

  it('resumes its session for the next turn of a one-shot process', async () => {
    const handle = start([sessionStart, text('{{session}}'), turnEnd], { interactive: true });
    await next(handle, 'turn_end');
    const session = handle.sessionId;
    await handle.send('more');
    await next(handle, 'turn_end');
    expect(handle.text).toBe(session);
    await handle.end();
  });

  it('gets special characters in arguments, variables and folders unchanged', async () => {
    const argument = `"'\\n $HOME \`id\` $(id) ;|&<>*?~#! -- é 日本`;
    const nasty = `${argument}\n\t`;
    const events = await eventsOf(start([...live(TURN)], { model: argument, env: { NASTY: nasty } }));
    const [seen] = reports(events, 'process') as [{ argv: string[]; env: Record<string, string> }];
    expect(seen.argv).toContain(`model=${argument}`);
    expect(seen.env.NASTY).toBe(nasty);
  });

  it('shows no secret in the process list of either side', async () => {
    const handle = start(WORK, { env: { MY_API_KEY: 'swordfish-1' } });
    const { env, pid } = await described(handle);
    expect(env.MY_API_KEY).toBe('swordfish-1');
    const list = spawnSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' }).stdout;
    expect(list).toContain(`${pid} `);
    expect(list).not.toContain('swordfish-1');
    const client = spawnSync('sh', ['-c', 'grep -lsF swordfish-1 /proc/[0-9]*/environ'], { encoding: 'utf8' }).stdout;
    expect(client.trim().split('\n')).toEqual([`/proc/${pid}/environ`]);
    await handle.abort();
  });

  it('writes no secrets to a trace', async () => {
    const tracePath = join(bench.folder(), 'trace.jsonl');
    await start([sessionStart, turnEnd], { env: { MY_API_KEY: 'swordfish-1' }, tracePath });
    expect(readFileSync(tracePath, 'utf8')).toContain('session_start');
    expect(readFileSync(tracePath, 'utf8')).not.toMatch(/swordfish-1|AGENT_MUX_LAUNCH/);
  });

  it('gets its helper files, which are removed', async () => {
    const events = await eventsOf(
      start([{ do: 'describe' }, sessionStart, { do: 'line', text: ' '.repeat(200_000) }, turnEnd]),
    );
    const [seen] = reports(events, 'process') as [{ argv: string[] }];
    const file = seen.argv[seen.argv.indexOf('--script-file') + 1] ?? '';
    expect(file).toMatch(/^\/tmp\/agent-mux-/);
    expect(existsSync(file)).toBe(false);
  });

  it('leaves no process on either side when it is aborted', async () => {
    const stubborn: Step[] = [
      { do: 'ignore-signals', signals: ['SIGTERM', 'SIGINT', 'SIGHUP'] },
      { do: 'grandchild', detached: true, ignoreSignals: ['SIGTERM'] },
      ...WORK,
    ];
    const handle = start(stubborn);
    const [{ pid: grandchild }, { pid, env }] = await Promise.all([
      nextReport(handle, 'grandchild'),
      described(handle),
    ]);
    // Otherwise the local search would find it and show nothing.
    expect(env).not.toHaveProperty('AGENT_MUX_RUN_ID');
    expect(await handle.abort()).toMatchObject({ exitReason: 'aborted' });
    expect([isAlive(pid), isAlive(grandchild)]).toEqual([false, false]);
    expect(nothingLeftOf(handle)).toBe(true);
    expect(existsSync(`/tmp/agent-mux-${env.AGENT_MUX_LAUNCH}`)).toBe(false);
    await until(() => sshd.sessions().length === 0);
  });

  it("interrupts with the agent's native request", async () => {
    const steps: Step[] = [
      {
        do: 'on-signal',
        signals: ['SIGINT'],
        run: [text('stopped'), event({ type: 'turn_end', status: 'interrupted' })],
      },
      ...WORK,
    ];
    const handle = start(steps);
    await next(handle, 'text_delta');
    await handle.interrupt();
    expect(handle.text).toBe('workingstopped');
    expect(await handle).toMatchObject({ exitReason: 'interrupted' });
  });

  it.each(['the server', 'the client'])(
    'reports a typed error and a session to resume when %s drops the connection',
    async (who) => {
      const handle = start(WORK);
      const [{ pid, env }] = await Promise.all([described(handle), next(handle, 'text_delta')]);
      if (who === 'the server') sshd.drop();
      else for (const client of clientsOf(handle.runId)) process.kill(client, 'SIGKILL');
      const result = await handle;
      expect(result).toMatchObject({
        exitReason: 'crashed',
        sessionId: `fake-${handle.runId}`,
        error: { code: 'NETWORK_ERROR' },
      });
      expect(result.error?.message).toMatch(/connection to Fake agent was lost: ssh /);
      await until(() => !isAlive(pid));
      await until(() => !existsSync(`/tmp/agent-mux-${env.AGENT_MUX_LAUNCH}`));
      const again = await start([sessionStart, text('{{session}}'), turnEnd], { sessionId: result.sessionId });
      expect(again).toMatchObject({ exitReason: 'completed', text: result.sessionId });
    },
  );

  it('reports an unreachable host', async () => {
    const unreachable = await start(WORK, { invocation: there({ port: 1 }) });
    expect(unreachable.error).toMatchObject({
      code: 'NETWORK_ERROR',
      message: expect.stringMatching(/Connection refused/),
    });
    const nowhere = await start(WORK, { invocation: there({ remoteCwd: '/no/such/folder' }) });
    expect(nowhere.error).toMatchObject({
      code: 'SPAWN_ERROR',
      message: expect.stringMatching(/directory does not exist/),
    });
  });

  it('accepts a prompt of one megabyte', async () => {
    const prompt = 'x'.repeat(1_000_000);
    const events = await eventsOf(start([{ do: 'read-all' }, sessionStart, turnEnd], { prompt }));
    expect(reports(events, 'stdin_end')).toMatchObject([{ bytes: prompt.length }]);
  });
});

async function described(handle: RunHandle): Promise<{ pid: number; env: Record<string, string> }> {
  return (await nextReport(handle, 'process')) as { pid: number; env: Record<string, string> };
}

/** The ssh clients of a run, which carry its id. */
function clientsOf(runId: string): number[] {
  const script = `grep -lsF "AGENT_MUX_RUN_ID=${runId}" /proc/[0-9]*/environ | tr -dc '0-9\\n'`;
  return spawnSync('sh', ['-c', script], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean).map(Number);
}
