import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { newFolder } from '../../test/folders.ts';
import { type RunningFakeAgent, type StartOptions, startFakeAgent } from './running.ts';
import type { Step } from './steps.ts';

const started: number[] = [];
afterEach(() => {
  for (const pid of started.splice(0)) if (alive(pid)) process.kill(pid, 'SIGKILL');
});

function start(steps: Step[], options?: StartOptions): RunningFakeAgent {
  const agent = startFakeAgent(steps, options);
  started.push(agent.pid);
  return agent;
}

/** A zombie is not alive: it only waits for its parent. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat[stat.lastIndexOf(')') + 2] !== 'Z';
  } catch {
    return false;
  }
}

async function waitUntilGone(pid: number): Promise<void> {
  while (alive(pid)) await new Promise((done) => setTimeout(done, 10));
}

const ready: Step = { do: 'line', text: 'ready' };
const isReady = (line: string): boolean => line === 'ready';

describe('ending', () => {
  it('is exit 0 after the last step, or the requested code without later steps', async () => {
    expect(await start([]).ended).toEqual({ code: 0, signal: null });
    const agent = start([{ do: 'exit', code: 7 }, ready]);
    expect(await agent.ended).toEqual({ code: 7, signal: null });
    expect(agent.stdout.length).toBe(0);
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGSEGV'] as const)('is its own signal: %s', async (signal) => {
    const agent = start([
      { do: 'ignore-signals', signals: ['SIGTERM'] },
      { do: 'kill-self', signal },
    ]);
    expect(await agent.ended).toEqual({ code: null, signal });
  });

  it('does not come while it hangs', async () => {
    const agent = start([ready, { do: 'hang' }, { do: 'exit', code: 1 }]);
    await agent.line(isReady);
    agent.child.kill('SIGTERM');
    expect(await agent.ended).toEqual({ code: null, signal: 'SIGTERM' });
  });
});

describe('signals', () => {
  it('are ignored on request', async () => {
    const agent = start([
      { do: 'ignore-signals', signals: ['SIGINT', 'SIGTERM', 'SIGHUP'] },
      ready,
      { do: 'read-line', echo: true },
    ]);
    await agent.line(isReady);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) agent.child.kill(signal);
    agent.write('still here\n');
    expect((await agent.report('stdin')).line).toBe('still here');
    expect(await agent.ended).toEqual({ code: 0, signal: null });
  });

  it('are reported while the script continues', async () => {
    const agent = start([{ do: 'on-signal', signals: ['SIGTERM'] }, ready, { do: 'read-line', echo: true }]);
    await agent.line(isReady);
    agent.child.kill('SIGTERM');
    expect(await agent.report('signal')).toEqual({ type: 'signal', signal: 'SIGTERM' });
    agent.write('next\n');
    expect(await agent.ended).toEqual({ code: 0, signal: null });
    expect(agent.objects().at(-1)).toEqual({ type: 'stdin', line: 'next' });
  });

  it.each([
    ['a pause', { do: 'hang' }],
    ['waiting for input', { do: 'read-line' }],
  ] as const)('end the script early in %s and run other steps', async (_name, step) => {
    const agent = start([
      {
        do: 'on-signal',
        signals: ['SIGINT'],
        run: [
          { do: 'line', text: 'bye {{signal}}' },
          { do: 'exit', code: 130 },
        ],
      },
      ready,
      step,
      { do: 'line', text: 'never' },
    ]);
    await agent.line(isReady);
    agent.child.kill('SIGINT');
    expect(await agent.ended).toEqual({ code: 130, signal: null });
    expect(agent.lines()).toEqual(['ready', '{"type":"signal","signal":"SIGINT"}', 'bye SIGINT']);
  });

  it('leave nothing of the script running', async () => {
    const agent = start([
      { do: 'on-signal', signals: ['SIGINT'], run: [{ do: 'wait', ms: 200 }] },
      ready,
      {
        do: 'repeat',
        times: 10_000,
        steps: [
          { do: 'wait', ms: 1 },
          { do: 'line', text: 'tick' },
        ],
      },
    ]);
    await agent.line((line) => line === 'tick');
    agent.child.kill('SIGINT');
    expect(await agent.ended).toEqual({ code: 0, signal: null });
    expect(agent.lines().at(-1)).toBe('{"type":"signal","signal":"SIGINT"}');
  });

  it('are handled while the output is not read', async () => {
    const agent = start(
      [
        { do: 'on-signal', signals: ['SIGTERM'], run: [{ do: 'exit', code: 9 }] },
        { do: 'line', text: 'ready', to: 'stderr' },
        { do: 'flood', lines: 100_000, bytes: 1000 },
      ],
      { paused: true },
    );
    await new Promise<void>((done) => agent.child.stderr?.once('data', () => done()));
    agent.child.kill('SIGTERM');
    agent.resume();
    expect((await agent.exited).code).toBe(9);
  });
});

describe('grandchild', () => {
  it('ends with its process group', async () => {
    const agent = start([{ do: 'grandchild' }, { do: 'hang' }], { detached: true });
    const pid = Number((await agent.report('grandchild')).pid);
    started.push(pid);
    expect(alive(pid)).toBe(true);
    process.kill(-agent.pid, 'SIGTERM');
    await agent.ended;
    await waitUntilGone(pid);
  });

  const answersSigusr1: Step[] = [
    { do: 'on-signal', signals: ['SIGUSR1'] },
    { do: 'line', text: 'ready' },
    { do: 'hang' },
  ];

  it('may ignore SIGTERM', async () => {
    const agent = start(
      [{ do: 'grandchild', ignoreSignals: ['SIGTERM'], keepStdout: true, steps: answersSigusr1 }, { do: 'hang' }],
      { detached: true },
    );
    const pid = Number((await agent.report('grandchild')).pid);
    started.push(pid);
    await agent.line(isReady);
    process.kill(-agent.pid, 'SIGTERM');
    expect((await agent.exited).signal).toBe('SIGTERM');
    process.kill(pid, 'SIGUSR1');
    await agent.report('signal');
    process.kill(-agent.pid, 'SIGKILL');
    await waitUntilGone(pid);
  });

  it('may be detached, out of reach of the group', async () => {
    const agent = start(
      [{ do: 'grandchild', detached: true, keepStdout: true, steps: answersSigusr1 }, { do: 'hang' }],
      { detached: true },
    );
    const pid = Number((await agent.report('grandchild')).pid);
    started.push(pid);
    await agent.line(isReady);
    process.kill(-agent.pid, 'SIGKILL');
    expect((await agent.exited).signal).toBe('SIGKILL');
    process.kill(pid, 'SIGUSR1');
    await agent.report('signal');
    process.kill(-pid, 'SIGTERM');
    await waitUntilGone(pid);
  });

  it('may hold stdout open after the agent has gone, and print to it', async () => {
    const agent = start([
      {
        do: 'grandchild',
        keepStdout: true,
        steps: [
          { do: 'on-signal', signals: ['SIGUSR1'], run: [{ do: 'line', text: 'late' }] },
          { do: 'line', text: 'ready' },
          { do: 'hang' },
        ],
      },
    ]);
    const pid = Number((await agent.report('grandchild')).pid);
    started.push(pid);
    await agent.exited;
    await agent.line(isReady);
    expect(agent.child.stdout?.readableEnded).toBe(false);
    process.kill(pid, 'SIGUSR1');
    await agent.ended;
    expect(agent.lines().at(-1)).toBe('late');
  });

  it('does not hold stdout otherwise', async () => {
    const agent = start([{ do: 'grandchild' }]);
    const pid = Number((await agent.report('grandchild')).pid);
    started.push(pid);
    await agent.ended;
    expect(alive(pid)).toBe(true);
  });
});

describe('the process', () => {
  it('describes itself', async () => {
    const cwd = newFolder();
    const agent = start([{ do: 'describe' }], { cwd, env: { ONLY: 'this' }, vars: { a: 'b' } });
    await agent.ended;
    const [report] = agent.objects();
    expect(report).toMatchObject({ type: 'process', pid: agent.pid, ppid: process.pid, cwd, env: { ONLY: 'this' } });
    expect(report?.argv).toEqual(['--script', '[{"do":"describe"}]', '--var', 'a=b']);
  });
});
