import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { amux, createTestHome, hasScript, onTerminal, type Started, start, type TestHome, TIMEOUT_MS } from './amux.ts';
import { screenOf } from './screen-reader.ts';

const options = { timeout: TIMEOUT_MS };
const poll = { timeout: TIMEOUT_MS / 2 };
const ENV = { AGENT_MUX_PORT: '0', NO_COLOR: '1' };

let testHome: TestHome;
beforeEach(() => {
  testHome = createTestHome();
});
/** Stops everything a test has started. */
afterEach(async () => {
  await amux(testHome, ['down', '--stop-sessions'], { env: ENV });
}, TIMEOUT_MS);

/** Folder of keeper sockets whose session path is too long. */
afterAll(() => rmSync(join(tmpdir(), `agent-mux-${process.getuid?.()}`), { recursive: true, force: true }));

const run = (...args: string[]) => amux(testHome, args, { env: ENV });
const rowsOf = (started: Started) => screenOf(started.output(), 100);

async function json<Value = Record<string, unknown>>(...args: string[]): Promise<Value> {
  const { stdout, stderr } = await run(...args, '--json');
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout);
}

describe('amux with the daemon', () => {
  it('starts the daemon once, with the first command that needs it', options, async () => {
    expect((await run('status')).code).toBe(1);
    expect((await run('down')).stdout).toBe('The daemon is not running.\n');
    const [first, second] = await Promise.all([json('new', '-a', 'demo', 'hello'), json('new', '-a', 'demo', 'hello')]);
    expect(first.id).not.toBe(second.id);
    const { sessions } = await json<{ sessions: { id: string }[] }>('ps');
    expect(sessions.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
    expect((await run('down')).stdout).toContain('Daemon stopped.');
    expect(await json('status')).toMatchObject({ running: false });
  });

  it('answers and prints a session from another terminal', options, async () => {
    const { id } = await json<{ id: string }>('new', '-a', 'demo', 'write a.txt');
    await expect.poll(async () => (await json('show', id)).openRequests, poll).toBe(1);
    expect((await run('inbox')).stdout).toContain('+ A note from the demo agent.');
    expect((await run('approve', id.slice(0, 6))).stdout).toBe('Allowed: Write agent-mux-demo/a.txt\n');
    await expect.poll(async () => (await json('show', id)).activity, poll).toBe('idle');
    expect(existsSync(join(testHome.cwd, 'agent-mux-demo', 'a.txt'))).toBe(true);
    expect((await run('stop', id)).code).toBe(0);
    const lines = (await run('events', id, '--until-exit', '--json')).stdout.trimEnd().split('\n');
    const events: { type: string; seq: number }[] = lines.map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at));
    expect(events[0]).toMatchObject({ type: 'user_message', text: 'write a.txt' });
    expect(events.at(-1)).toMatchObject({ type: 'run_result' });
    expect(await json('restore', id)).toMatchObject({ isTerminated: false });
    await run('send', id, 'hello');
    await expect.poll(async () => (await json('show', id)).summary, poll).toContain('message 2 of our session');
  });

  it.runIf(hasScript)('keeps following a session after the daemon dies', options, async () => {
    const { id } = await json<{ id: string }>('new', '-a', 'demo', 'hello');
    const looking = onTerminal(testHome, ['attach', id], ENV);
    await looking.until('Hello');
    await expect.poll(() => rowsOf(looking).at(-1), poll).toBe('›');
    const { pid } = await json<{ pid: number }>('status');
    process.kill(pid, 'SIGKILL');
    await looking.until('the daemon is back');
    expect((await json<{ pid: number }>('status')).pid).not.toBe(pid);
    looking.child.stdin?.write('write b.txt\r');
    await looking.until('[y] Allow');
    looking.child.stdin?.write('y\r');
    await looking.until('Wrote');
    await expect.poll(() => rowsOf(looking).at(-1), poll).toBe('›');
    looking.child.stdin?.write('\x04');
    expect((await looking.finished).code).toBe(0);
    expect(rowsOf(looking).filter((row) => row === '› hello')).toHaveLength(1);
    expect(existsSync(join(testHome.cwd, 'agent-mux-demo', 'b.txt'))).toBe(true);
  });
});

describe('ids of "amux ps" and "amux sessions"', () => {
  it('are accepted by the commands of both lists', options, async () => {
    const { id } = await json<{ id: string }>('new', '-a', 'demo', 'hello');
    await expect.poll(async () => (await json('show', id)).activity, poll).toBe('idle');
    const { agentSessionId } = await json<{ agentSessionId: string }>('show', id);
    expect(await json('show', agentSessionId)).toMatchObject({ id });
    expect(await json('show', `demo:${agentSessionId.slice(0, 8)}`)).toMatchObject({ id });
    expect(await json('sessions', 'show', id.slice(0, 8))).toMatchObject({ sessionId: agentSessionId });
    expect((await run('sessions', 'export', id)).stdout).toContain('hello');
    expect((await run('run', '-q', '--fork', id, 'what did I say before?')).stdout).toContain('"hello"');
    expect((await run('stop', agentSessionId)).code).toBe(0);
    expect((await run('sessions', 'show', 'nothing')).stderr).toContain('"nothing"');
  });

  it('are all that fork and restore print on stdout', options, async () => {
    const { id } = await json<{ id: string }>('new', '-a', 'demo', 'hello');
    await expect.poll(async () => (await json('show', id)).activity, poll).toBe('idle');
    const forked = await run('fork', id);
    expect(forked.stdout).toMatch(/^\w+\n$/);
    expect(forked.stderr).toContain('amux attach');
    await run('stop', id);
    expect((await run('restore', id)).stdout).toBe(`${id}  demo\n`);
  });
});

describe('amux up --foreground', () => {
  it('prints the address and a demo session, and cleans up', options, async () => {
    const up = start(testHome, ['up', '--foreground', '--demo', '--port', '0'], ENV);
    await up.until('in another terminal');
    const { url } = await json<{ url: string }>('status');
    expect(up.output()).toContain(`the daemon is running at ${url}`);
    const { sessions } = await json<{ sessions: { id: string; cwd: string; agent: string }[] }>('ps');
    expect(sessions).toMatchObject([{ agent: 'demo', title: 'A tour of agent-mux' }]);
    const [{ id = '', cwd = '' } = {}] = sessions;
    expect(up.output()).toContain(`amux attach ${id.slice(0, 8)}`);
    expect((await run('up', '--foreground')).stderr).toContain('the daemon is already running');
    const second = await run('up', '--foreground', '--demo');
    expect(second).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`the daemon is already running at ${url}`),
    });
    expect((await json<{ sessions: unknown[] }>('ps')).sessions).toHaveLength(1);
    up.child.kill('SIGINT');
    expect((await up.finished).code).toBe(0);
    expect((await run('status')).code).toBe(1);
    expect(existsSync(cwd)).toBe(false);
    expect((await json<{ sessions: unknown[] }>('ps', '--all')).sessions).toEqual([]);
  });

  it('rejects invalid combinations, and records where it listens', options, async () => {
    expect((await run('up', '--demo')).code).toBe(2);
    expect((await run('up', '--port', 'x')).code).toBe(2);
    const { url, pid } = await json<{ url: string; pid: number }>('up', '--port', '0');
    const record = join(testHome.home, '.local/state/agent-mux/daemon/daemon.json');
    expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({ url, pid });
  });
});
