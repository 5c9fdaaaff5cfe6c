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
import { findPlaces, type Places } from '../places.ts';
import { ensureDaemon } from './ensure.ts';
import { findDaemon, lookForDaemon } from './find.ts';
import { daemonLocator } from './locate.ts';
import { stopDaemon } from './stop.ts';
import { readToken } from './token.ts';

const FLAGS = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning'];
const TEST = join(import.meta.dirname, '../../test');
const command = (...args: string[]) => [...FLAGS, join(TEST, 'stand-in-main.ts'), ...args];

let home: string;
let env: NodeJS.ProcessEnv;
let places: Places;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'start-'));
  env = { ...process.env, XDG_STATE_HOME: home };
  places = findPlaces(env);
});
afterEach(async () => {
  await stopDaemon(env);
  // Those that came too late may be about to leave.
  await expect.poll(() => starts().filter((pid) => identityOf(pid)), { timeout: 10_000 }).toEqual([]);
  rmSync(home, { recursive: true, force: true });
});

function starts(): number[] {
  const file = join(places.root, 'starts');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
}

function writeRecord(more: object): void {
  mkdirSync(places.root, { recursive: true });
  const record = { schema: 'agent-mux.daemon/1', pid: 1, startTime: '1', url: 'http://127.0.0.1:1', version: '0' };
  writeFileSync(places.record, JSON.stringify({ ...record, ...more }));
}

/** One that lives and breaks off every connection. */
async function startMute(): Promise<void> {
  await expect(ensureDaemon(env, { command: command('mute'), timeoutMs: 1 })).rejects.toThrow();
  await expect.poll(async () => (await lookForDaemon(places)).is, { timeout: 20_000 }).toBe('silent');
}

describe('ensureDaemon', () => {
  it('starts the daemon where there is none, and finds it where there is one', async () => {
    expect(await findDaemon(env)).toBeNull();
    const daemon = await ensureDaemon(env, { command: command() });
    expect(daemon).toMatchObject({ version: '0.0.0-test', token: `token-of-${daemon.pid}` });
    expect(await findDaemon(env)).toEqual(daemon);
    expect(await ensureDaemon(env, { command: command() })).toEqual(daemon);
    expect(starts()).toEqual([daemon.pid]);
    expect(statSync(places.root).mode & 0o777).toBe(0o700);
    expect(statSync(places.log).mode & 0o777).toBe(0o600);
  });

  it('starts one, whoever asks and however many at once', async () => {
    const [first, ...others] = await Promise.all(
      Array.from({ length: 10 }, () => ensureDaemon(env, { command: command() })),
    );
    expect(others.every((other) => other.pid === first?.pid)).toBe(true);
    expect(starts()).toEqual([first?.pid]);
  });

  it('starts one for many processes that ask at once', async () => {
    const program = [...FLAGS, join(TEST, 'start-many.ts'), ...command()];
    const asked = Array.from({ length: 4 }, () => promisify(execFile)(process.execPath, program, { env }));
    const pids = (await Promise.all(asked)).map(({ stdout }) => Number(stdout));
    expect(new Set(pids)).toEqual(new Set([(await findDaemon(env))?.pid]));
  });

  it('does not take a stranger for the daemon that has its pid now', async () => {
    writeRecord({ pid: process.pid, startTime: 'long ago' });
    expect(await lookForDaemon(places)).toEqual({ is: 'absent', hasCrashed: true });
    const daemon = await ensureDaemon(env, { command: command() });
    expect(starts()).toEqual([daemon.pid]);
    expect(stillAlive([identityOf(process.pid)!])).toHaveLength(1);
  });

  it('says what the daemon said when it could not start', async () => {
    mkdirSync(places.root, { recursive: true });
    writeFileSync(places.log, 'of another time\n');
    const starting = ensureDaemon(env, { command: command('fail', 'the disk is full'), timeoutMs: 1 });
    const error = await starting.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', hint: expect.stringContaining(places.log) });
    await expect.poll(() => readFileSync(places.log, 'utf8'), { timeout: 20_000 }).toContain('the disk is full');
    const again = await ensureDaemon(env, { command: command('fail', 'the disk is full') }).catch((thrown) => thrown);
    expect(String(again)).toContain('the daemon ended with code 3; it said:\nthe disk is full');
    expect(String(again)).not.toContain('of another time');
  });

  it('does not start a second one beside one that does not answer', async () => {
    await startMute();
    await expect(ensureDaemon(env, { command: command(), timeoutMs: 1 })).rejects.toThrow('does not answer');
    expect(starts()).toHaveLength(1);
  });

  it('starts it without the marks of a run that it is started from', async () => {
    const marked = { ...env, AGENT_MUX_RUN_ID: 'r', AGENT_MUX_LAUNCH: 'l', AGENT_MUX_SESSION_ID: 's', OTHER: 'kept' };
    await ensureDaemon(marked, { command: command() });
    const seen = JSON.parse(readFileSync(join(places.root, 'environment'), 'utf8'));
    expect(seen).toMatchObject({ OTHER: 'kept' });
    expect(seen).not.toHaveProperty('AGENT_MUX_RUN_ID');
    expect(seen).not.toHaveProperty('AGENT_MUX_SESSION_ID');
    expect(seen).not.toHaveProperty('AGENT_MUX_LAUNCH');
  });
});

describe('stopDaemon', () => {
  it('ends it by a request, and says so', async () => {
    const { pid } = await ensureDaemon(env, { command: command() });
    expect(await stopDaemon(env)).toEqual({ pid, by: 'request' });
    expect(identityOf(pid)).toBeUndefined();
    expect(await stopDaemon(env)).toBeNull();
  });

  it('ends one that does not answer by a signal', async () => {
    await startMute();
    expect(await stopDaemon(env)).toEqual({ pid: starts()[0], by: 'SIGTERM' });
  });

  it('leaves a stranger alone that has the pid of the record', async () => {
    writeRecord({ pid: process.pid, startTime: 'long ago' });
    expect(await stopDaemon(env)).toBeNull();
  });
});

describe('finding the daemon again', () => {
  it('starts one that has crashed, and not one that was told to go', async () => {
    const locate = daemonLocator(env, { start: true, command: command() });
    const first = await locate(false);
    const [pid] = starts();
    process.kill(pid!, 'SIGKILL');
    await expect.poll(() => identityOf(pid!), { timeout: 10_000 }).toBeUndefined();
    rmSync(join(places.root, 'lock'));
    const second = await locate(true);
    expect(second.url).not.toBe(first.url);
    await stopDaemon(env);
    await expect(locate(true)).rejects.toMatchObject({ code: 'NETWORK_ERROR', retryable: true });
    expect(starts()).toHaveLength(2);
  });

  it('starts none where it was not asked to', async () => {
    await expect(daemonLocator(env, { start: false })(false)).rejects.toMatchObject({ hint: '"amux up" starts it' });
  });
});

describe('what is read of the daemon', () => {
  it('is refused where a record sends the token off this machine', async () => {
    writeRecord({ ...identityOf(process.pid), url: 'http://elsewhere.example:80' });
    expect(await lookForDaemon(places)).toMatchObject({ is: 'absent' });
  });

  it('is refused where the token can be read by others, or is a link', async () => {
    mkdirSync(places.root, { recursive: true });
    expect(await readToken(places)).toBeNull();
    writeFileSync(places.token, 'secret\n', { mode: 0o600 });
    expect(await readToken(places)).toBe('secret');
    chmodSync(places.token, 0o640);
    await expect(readToken(places)).rejects.toMatchObject({
      code: 'CONFIG_ERROR',
      message: expect.stringContaining('640'),
    });
    rmSync(places.token);
    const elsewhere = join(home, 'elsewhere');
    writeFileSync(elsewhere, 'secret', { mode: 0o600 });
    symlinkSync(elsewhere, places.token);
    await expect(readToken(places)).rejects.toThrow();
  });
});
