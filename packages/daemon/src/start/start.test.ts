import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { identityOf, stillAlive } from '@agent-mux/core/light';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DaemonPaths, resolveDaemonPaths } from '../paths.ts';
import { ensureDaemon } from './ensure.ts';
import { findDaemon, probeDaemon } from './find.ts';
import { daemonLocator } from './locate.ts';
import { stopDaemon } from './stop.ts';
import { readToken } from './token.ts';

const FLAGS = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning'];
const TEST = join(import.meta.dirname, '../../test');
const command = (...args: string[]) => [...FLAGS, join(TEST, 'fake-main.ts'), ...args];

let home: string;
let env: NodeJS.ProcessEnv;
let paths: DaemonPaths;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'start-'));
  env = { ...process.env, XDG_STATE_HOME: home };
  paths = resolveDaemonPaths(env);
});
afterEach(async () => {
  await stopDaemon(env);
  // Daemons that started too late may be about to exit.
  await expect.poll(() => starts().filter((pid) => identityOf(pid)), { timeout: 10_000 }).toEqual([]);
  rmSync(home, { recursive: true, force: true });
});

function starts(): number[] {
  const file = join(paths.root, 'starts');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
}

function writeRecord(more: object): void {
  mkdirSync(paths.root, { recursive: true });
  const record = { schema: 'agent-mux.daemon/1', pid: 1, startTime: '1', url: 'http://127.0.0.1:1', version: '0' };
  writeFileSync(paths.record, JSON.stringify({ ...record, ...more }));
}

/** A daemon that runs and closes every connection. */
async function startMute(): Promise<void> {
  await expect(ensureDaemon(env, { command: command('mute'), timeoutMs: 1 })).rejects.toThrow();
  await expect.poll(async () => (await probeDaemon(paths)).is, { timeout: 20_000 }).toBe('silent');
}

describe('ensureDaemon', () => {
  it('starts the daemon if there is none and finds a running one', async () => {
    expect(await findDaemon(env)).toBeNull();
    const daemon = await ensureDaemon(env, { command: command() });
    expect(daemon).toMatchObject({ version: '0.0.0-test', token: `token-of-${daemon.pid}` });
    expect(await findDaemon(env)).toEqual(daemon);
    expect(await ensureDaemon(env, { command: command() })).toEqual(daemon);
    expect(starts()).toEqual([daemon.pid]);
    expect(statSync(paths.root).mode & 0o777).toBe(0o700);
    expect(statSync(paths.log).mode & 0o777).toBe(0o600);
  });

  it('starts one daemon for concurrent calls', async () => {
    const [first, ...others] = await Promise.all(
      Array.from({ length: 10 }, () => ensureDaemon(env, { command: command() })),
    );
    expect(others.every((other) => other.pid === first?.pid)).toBe(true);
    expect(starts()).toEqual([first?.pid]);
  });

  it('starts one daemon for concurrent processes', async () => {
    const program = [...FLAGS, join(TEST, 'start-many.ts'), ...command()];
    const asked = Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, program, { env }));
    const pids = (await Promise.all(asked)).map(({ stdout }) => Number(stdout));
    expect(new Set(pids)).toEqual(new Set([(await findDaemon(env))?.pid]));
  });

  it('does not mistake a process with a reused pid for the daemon', async () => {
    writeRecord({ pid: process.pid, startTime: 'long ago' });
    expect(await probeDaemon(paths)).toEqual({ is: 'absent', hasCrashed: true });
    const daemon = await ensureDaemon(env, { command: command() });
    expect(starts()).toEqual([daemon.pid]);
    expect(stillAlive([identityOf(process.pid)!])).toHaveLength(1);
  });

  it('reports the log of a daemon that failed to start', async () => {
    mkdirSync(paths.root, { recursive: true });
    writeFileSync(paths.log, 'of another time\n');
    const starting = ensureDaemon(env, { command: command('fail', 'the disk is full'), timeoutMs: 1 });
    const error = await starting.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', hint: expect.stringContaining(paths.log) });
    await expect.poll(() => readFileSync(paths.log, 'utf8'), { timeout: 20_000 }).toContain('the disk is full');
    const again = await ensureDaemon(env, { command: command('fail', 'the disk is full') }).catch((thrown) => thrown);
    expect(String(again)).toContain('the daemon exited with code 3; its log ends with:\nthe disk is full');
    expect(String(again)).not.toContain('of another time');
  });

  it('does not start a second daemon while one does not answer', async () => {
    await startMute();
    await expect(ensureDaemon(env, { command: command(), timeoutMs: 1 })).rejects.toThrow('does not answer');
    expect(starts()).toHaveLength(1);
  });

  it('starts the daemon without the marks of the surrounding run', async () => {
    const marked = { ...env, AGENT_MUX_RUN_ID: 'r', AGENT_MUX_LAUNCH: 'l', AGENT_MUX_SESSION_ID: 's', OTHER: 'kept' };
    await ensureDaemon(marked, { command: command() });
    const seen = JSON.parse(readFileSync(join(paths.root, 'environment'), 'utf8'));
    expect(seen).toMatchObject({ OTHER: 'kept' });
    expect(seen).not.toHaveProperty('AGENT_MUX_RUN_ID');
    expect(seen).not.toHaveProperty('AGENT_MUX_SESSION_ID');
    expect(seen).not.toHaveProperty('AGENT_MUX_LAUNCH');
  });
});

describe('stopDaemon', () => {
  it('stops the daemon by a request', async () => {
    const { pid } = await ensureDaemon(env, { command: command() });
    expect(await stopDaemon(env)).toEqual({ pid, by: 'request' });
    expect(identityOf(pid)).toBeUndefined();
    expect(await stopDaemon(env)).toBeNull();
  });

  it('stops a daemon that does not answer by a signal', async () => {
    await startMute();
    expect(await stopDaemon(env)).toEqual({ pid: starts()[0], by: 'SIGTERM' });
  });

  it('leaves a process with a reused pid alone', async () => {
    writeRecord({ pid: process.pid, startTime: 'long ago' });
    expect(await stopDaemon(env)).toBeNull();
  });
});

describe('daemonLocator', () => {
  it('restarts a crashed daemon but not a stopped one', async () => {
    const locate = daemonLocator(env, { start: true, command: command() });
    const first = await locate(false);
    const [pid] = starts();
    process.kill(pid!, 'SIGKILL');
    await expect.poll(() => identityOf(pid!), { timeout: 10_000 }).toBeUndefined();
    rmSync(join(paths.root, 'lock'));
    const second = await locate(true);
    expect(second.url).not.toBe(first.url);
    await stopDaemon(env);
    await expect(locate(true)).rejects.toMatchObject({ code: 'NETWORK_ERROR', retryable: true });
    expect(starts()).toHaveLength(2);
  });

  it('starts no daemon if not requested', async () => {
    await expect(daemonLocator(env, { start: false })(false)).rejects.toMatchObject({
      hint: 'run "amux up" to start it',
    });
  });
});

describe('daemon files', () => {
  it('ignores a record with a remote URL', async () => {
    writeRecord({ ...identityOf(process.pid), url: 'http://remote.example:80' });
    expect(await probeDaemon(paths)).toMatchObject({ is: 'absent' });
  });

  it('refuses a token that others can read or that is a link', async () => {
    mkdirSync(paths.root, { recursive: true });
    expect(await readToken(paths)).toBeNull();
    writeFileSync(paths.token, 'secret\n', { mode: 0o600 });
    expect(await readToken(paths)).toBe('secret');
    chmodSync(paths.token, 0o640);
    await expect(readToken(paths)).rejects.toMatchObject({
      code: 'CONFIG_ERROR',
      message: expect.stringContaining('640'),
    });
    rmSync(paths.token);
    const target = join(home, 'target');
    writeFileSync(target, 'secret', { mode: 0o600 });
    symlinkSync(target, paths.token);
    await expect(readToken(paths)).rejects.toThrow();
  });
});
