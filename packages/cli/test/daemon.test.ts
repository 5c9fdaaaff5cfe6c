import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { amux, hasScript, newPlace, onTerminal, PATIENCE_MS, type Place, type Started, start } from './amux.ts';
import { screenOf } from './screen-reader.ts';

const options = { timeout: PATIENCE_MS };
const poll = { timeout: PATIENCE_MS / 2 };
const ENV = { AGENT_MUX_PORT: '0', NO_COLOR: '1' };

let place: Place;
beforeEach(() => {
  place = newPlace();
});
/** Nothing that a test has started outlives it. */
afterEach(async () => {
  await amux(place, ['down', '--stop'], { env: ENV });
}, PATIENCE_MS);

/** Where keepers have their sockets, if the path of their session is too long for one. */
afterAll(() => rmSync(join(tmpdir(), `agent-mux-${process.getuid?.()}`), { recursive: true, force: true }));

const run = (...args: string[]) => amux(place, args, { env: ENV });
const rowsOf = (started: Started) => screenOf(started.output(), 100);

async function json<Value = Record<string, unknown>>(...args: string[]): Promise<Value> {
  const { stdout, stderr } = await run(...args, '--json');
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout);
}

describe('amux with the daemon', () => {
  it('starts it with the first command that needs it, once, and not before', options, async () => {
    expect((await run('status')).code).toBe(1);
    expect((await run('down')).stdout).toBe('The daemon does not run.\n');
    const [first, second] = await Promise.all([json('new', '-a', 'demo', 'hello'), json('new', '-a', 'demo', 'hello')]);
    expect(first.id).not.toBe(second.id);
    const { sessions } = await json<{ sessions: { id: string }[] }>('ps');
    expect(sessions.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
    expect((await run('down')).stdout).toContain('The daemon has ended.');
    expect(await json('status')).toMatchObject({ running: false });
  });

  it('lets one terminal answer what was begun in another, and print all of it', options, async () => {
    const { id } = await json<{ id: string }>('new', '-a', 'demo', 'write a.txt');
    await expect.poll(async () => (await json('show', id)).openRequests, poll).toBe(1);
    expect((await run('inbox')).stdout).toContain('+ A note from the demo agent.');
    expect((await run('approve', id.slice(0, 6))).stdout).toBe('Allowed: Write agent-mux-demo/a.txt\n');
    await expect.poll(async () => (await json('show', id)).activity, poll).toBe('idle');
    expect(existsSync(join(place.cwd, 'agent-mux-demo', 'a.txt'))).toBe(true);
    expect((await run('stop', id)).code).toBe(0);
    const lines = (await run('events', id, '--until-end', '--json')).stdout.trimEnd().split('\n');
    const events: { type: string; seq: number }[] = lines.map((line) => JSON.parse(line));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at));
    expect(events[0]).toMatchObject({ type: 'user_message', text: 'write a.txt' });
    expect(events.at(-1)).toMatchObject({ type: 'run_result' });
    expect(await json('restore', id)).toMatchObject({ isTerminated: false });
    await run('send', id, 'hello');
    await expect.poll(async () => (await json('show', id)).summary, poll).toContain('message 2 of our session');
  });

  it.runIf(hasScript)('shows a session on over the death of the daemon', options, async () => {
    const { id } = await json<{ id: string }>('new', '-a', 'demo', 'hello');
    const looking = onTerminal(place, ['attach', id], ENV);
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
    expect(existsSync(join(place.cwd, 'agent-mux-demo', 'b.txt'))).toBe(true);
  });
});

describe('ids of "amux ps" and "amux sessions"', () => {
  it('are accepted by the commands of either list', options, async () => {
    const { id } = await json<{ id: string }>('new', '-a', 'demo', 'hello');
    await expect.poll(async () => (await json('show', id)).activity, poll).toBe('idle');
    const { nativeId } = await json<{ nativeId: string }>('show', id);
    expect(await json('show', nativeId)).toMatchObject({ id });
    expect(await json('show', `demo:${nativeId.slice(0, 8)}`)).toMatchObject({ id });
    expect(await json('sessions', 'show', id.slice(0, 8))).toMatchObject({ sessionId: nativeId });
    expect((await run('sessions', 'export', id)).stdout).toContain('hello');
    expect((await run('run', '-q', '--fork', id, 'what did I say before?')).stdout).toContain('"hello"');
    expect((await run('stop', nativeId)).code).toBe(0);
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
  it('shows the address and a session at work, and leaves nothing of it', options, async () => {
    const up = start(place, ['up', '--foreground', '--demo', '--port', '0'], ENV);
    await up.until('in another terminal');
    const { url } = await json<{ url: string }>('status');
    expect(up.output()).toContain(`the daemon runs at ${url}`);
    const { sessions } = await json<{ sessions: { id: string; cwd: string; agent: string }[] }>('ps');
    expect(sessions).toMatchObject([{ agent: 'demo', title: 'A tour of agent-mux' }]);
    const [{ id = '', cwd = '' } = {}] = sessions;
    expect(up.output()).toContain(`amux attach ${id.slice(0, 8)}`);
    expect((await run('up', '--foreground')).stderr).toContain('the daemon runs already');
    const second = await run('up', '--foreground', '--demo');
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining(`the daemon already runs at ${url}`) });
    expect((await json<{ sessions: unknown[] }>('ps')).sessions).toHaveLength(1);
    up.child.kill('SIGINT');
    expect((await up.finished).code).toBe(0);
    expect((await run('status')).code).toBe(1);
    expect(existsSync(cwd)).toBe(false);
    expect((await json<{ sessions: unknown[] }>('ps', '--all')).sessions).toEqual([]);
  });

  it('is refused without sense, and tells the record where it listens', options, async () => {
    expect((await run('up', '--demo')).code).toBe(2);
    expect((await run('up', '--port', 'x')).code).toBe(2);
    const { url, pid } = await json<{ url: string; pid: number }>('up', '--port', '0');
    const record = join(place.home, '.local/state/agent-mux/daemon/daemon.json');
    expect(JSON.parse(readFileSync(record, 'utf8'))).toMatchObject({ url, pid });
  });
});
