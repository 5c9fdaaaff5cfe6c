import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stateFolder } from '@agent-mux/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { logFailure, report, resolveHookPaths, trimSpool, writeReport } from '../src/hooks/report.ts';
import { type HookDelivery, type HookPaths, hookPathsIn, LOG_BYTES, PAYLOAD_BYTES } from '../src/hooks/spool.ts';
import { callHook, manage, startReporter } from './hooks.ts';

vi.setConfig({ testTimeout: 120_000 });

let root: string;
let home: { env: Record<string, string>; work: string };
let paths: HookPaths;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reporter-')));
  mkdirSync(join(root, 'work'));
  home = { env: { PATH: process.env.PATH ?? '', HOME: root }, work: join(root, 'work') };
  paths = manage(home);
});
afterEach(() => {
  chmodSync(paths.root, 0o700);
  rmSync(root, { recursive: true, force: true });
});

const reports = (): HookDelivery[] =>
  existsSync(paths.spool)
    ? readdirSync(paths.spool)
        .sort()
        .map((name) => JSON.parse(readFileSync(join(paths.spool, name), 'utf8')))
    : [];
const log = () => (existsSync(paths.log) ? readFileSync(paths.log, 'utf8') : '');
const call = (options: Partial<HookDelivery> = {}) => ({
  ...{ agent: 'fake', event: 'Stop', session: null, sessionBy: null, run: null, cwd: '/', at: 1 },
  ...{ ppid: 1, ancestors: [], input: { text: '{}', cut: false } },
  ...options,
});

describe('hook call', () => {
  it('uses the time passed by the caller unless it is implausible', async () => {
    const time = Date.now() - 5000.25;
    for (const [event, at] of [
      ['late', time],
      ['never', time - 3_600_000],
      ['tomorrow', time + 86_400_000],
      ['early', time - 1],
    ] as const)
      await callHook(home, { event, env: { AGENT_MUX_HOOK_TIME: String(at) } });
    expect(reports().map(({ event }) => event)).toEqual(['early', 'late', 'never', 'tomorrow']);
    expect(reports()[1]?.at).toBe(time);
    expect(
      Math.min(
        ...reports()
          .slice(2)
          .map(({ at }) => at),
      ),
    ).toBeGreaterThan(time);
  });

  it('writes one complete report and prints nothing', async () => {
    const before = Date.now() - 1000;
    await callHook(home, { event: 'Stop', payload: '{"answer": "äöü"}', env: { AGENT_MUX_RUN_ID: 's1-2' } });
    const [one, ...others] = reports();
    expect(others).toEqual([]);
    expect(one).toMatchObject({
      ...{ v: 1, agent: 'fake', event: 'Stop', session: null, sessionBy: null, run: 's1-2', cwd: home.work },
      ...{ payload: '{"answer": "äöü"}', cut: false, ppid: process.pid },
    });
    expect(one?.at).toBeGreaterThan(before);
    expect(one?.at).toBeLessThanOrEqual(Date.now());
    expect(readdirSync(paths.spool)).toEqual([`${one?.id}.json`]);
    if (process.platform === 'linux') expect(one?.ancestors[0]).toMatchObject({ pid: process.pid });
    expect(log()).toBe('');
  });

  it('finds its workspace by the real path and its session by variable or argument', async () => {
    const link = join(root, 'link');
    symlinkSync(home.work, link);
    const outside = join(root, 'outside');
    mkdirSync(outside);
    await callHook(home, { event: 'Start', cwd: link });
    await callHook(home, { event: 'Start', cwd: outside });
    await callHook(home, { event: 'Start', cwd: outside, env: { AGENT_MUX_SESSION_ID: 's1' } });
    await callHook(home, { event: 'Start', cwd: outside, args: ['s2'], env: { AGENT_MUX_SESSION_ID: 's1' } });
    expect(reports().map(({ session, sessionBy, cwd }) => [session, sessionBy, cwd])).toEqual([
      [null, null, home.work],
      ['s1', 'environment', outside],
      ['s2', 'argument', outside],
    ]);
  });

  it('stores the start of a payload that is too long and reads the rest', async () => {
    const long = Buffer.alloc(100 * 1024 * 1024, 'x');
    await callHook(home, { event: 'Stop', payload: long });
    await callHook(home, { event: 'Stop', payload: 'x'.repeat(PAYLOAD_BYTES) });
    expect(reports().map(({ payload, cut }) => [payload.length, cut])).toEqual([
      [PAYLOAD_BYTES, true],
      [PAYLOAD_BYTES, false],
    ]);
  });

  it('does not wait for input that never ends, from a socket or a pipe', async () => {
    const pipe = join(root, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const held = openSync(pipe, constants.O_RDWR);
    writeSync(held, '{"id": "n1", ');
    for (const input of ['pipe', openSync(pipe, constants.O_RDONLY)] as const) {
      const child = startReporter(home.env, { event: 'Stop', cwd: home.work, input });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
      child.stdin?.write('{"id": "n1", ');
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect({ code, output }).toEqual({ code: 0, output: '' });
    }
    closeSync(held);
    const cut = { payload: '{"id": "n1", ', cut: true };
    expect(reports()).toMatchObject([cut, cut]);
  });

  it.each([
    ['nothing', [], {}],
    ['no event', ['fake'], {}],
    ['a folder as its agent', ['../../etc', 'Stop'], {}],
    ['too many arguments', ['fake', 'Stop', 's1', 'more'], {}],
    ['an event of several lines', ['fake', 'Stop\nx'], {}],
  ])('logs invalid calls and prints nothing: %s', async (_, args) => {
    await report(args, home.env, Date.now());
    expect(reports()).toEqual([]);
    expect(log()).toContain('usage: amux hooks AGENT EVENT [SESSION]');
    expect(log().trimEnd().split('\n')).toHaveLength(1);
    expect(statSync(paths.log).mode & 0o777).toBe(0o600);
  });

  it('exits with 0 on closed input, a deleted folder, files in place of folders or a read-only state', async () => {
    const reporter = join(import.meta.dirname, '../dist/hooks/reporter.js');
    const command = [process.execPath, reporter, 'hooks', 'fake', 'Stop'].map((arg) => `'${arg}'`).join(' ');
    const run = (script: string, env: Record<string, string> = home.env) =>
      execFileSync('sh', ['-c', `cd '${home.work}'; { ${script}; } 2>&1; echo $?`], { env, encoding: 'utf8' });
    expect(run(`${command} <&-`)).toBe('0\n');
    expect(run(`${command} </dev/null >&- 2>&-`)).toBe('0\n');
    expect(run(`mkdir gone; cd gone; rmdir ../gone; ${command} </dev/null`)).toBe('0\n');
    expect(reports()).toHaveLength(2);
    const { HOME: _, ...homeless } = home.env;
    expect(run(`${command} </dev/null`, { ...homeless, XDG_STATE_HOME: 'not/absolute', HOME: '/nonexistent' })).toBe(
      '0\n',
    );
    writeFileSync(paths.workspaces, '{"workspaces": [');
    expect(run(`${command} </dev/null`)).toBe('0\n');
    manage(home);
    rmSync(paths.spool, { recursive: true });
    writeFileSync(paths.spool, 'a file');
    expect(run(`${command} </dev/null`)).toBe('0\n');
    expect(log()).toMatch(/JSON|ENOTDIR/);
    expect(readdirSync(paths.unfinished)).toEqual([]);
    rmSync(paths.root, { recursive: true });
    writeFileSync(paths.root, 'a file');
    expect(run(`AGENT_MUX_SESSION_ID=s1 ${command} </dev/null`)).toBe('0\n');
    rmSync(paths.root);
    mkdirSync(paths.root);
  });

  it.runIf(existsSync('/dev/full'))('exits with 0 if its standard streams fail', async () => {
    const full = openSync('/dev/full', 'w');
    const child = startReporter(home.env, { event: 'Stop', cwd: home.work, output: full });
    closeSync(full);
    child.stdin?.end();
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    expect(reports()).toHaveLength(1);
  });
});

describe('spool', () => {
  it('is in the state folder', () => {
    for (const env of [{ HOME: '/h' }, { HOME: '/h', XDG_STATE_HOME: '/s' }, { HOME: '/h', XDG_STATE_HOME: 's' }, {}])
      expect(resolveHookPaths(env)).toEqual(hookPathsIn(stateFolder(env)));
  });

  it('names reports in the order of their calls', () => {
    const at = [1000.5, 1000.25, 999, 123_456_789_012.345, 1000.25];
    const ids = at.map((time) => writeReport(paths, call({ at: time })));
    expect(readdirSync(paths.spool).sort()).toEqual([2, 1, 4, 0, 3].map((index) => `${ids[index]}.json`));
  });

  it('drops the oldest reports and logs it if no daemon reads them', () => {
    const ids = Array.from({ length: 12 }, (_, index) => writeReport(paths, call({ at: index })));
    trimSpool(paths, { files: 10, bytes: 1_000_000 });
    expect(readdirSync(paths.spool).sort()).toEqual(ids.slice(2).map((id) => `${id}.json`));
    const size = statSync(join(paths.spool, `${ids[11]}.json`)).size;
    trimSpool(paths, { files: 10, bytes: 3 * size + 1 });
    expect(readdirSync(paths.spool).sort()).toEqual(ids.slice(9).map((id) => `${id}.json`));
    expect(log()).toMatch(/2 old reports were dropped(.|\n)*7 old reports were dropped/);
  });

  it('has a log of limited size with one line per failure', () => {
    const line = `${'x'.repeat(400)}\nnot a separate line \u001b[31m`;
    for (let count = 0; count < 3 * (LOG_BYTES / 400); count += 1) logFailure(paths, line);
    expect(log()).not.toContain('\u001b');
    expect(readdirSync(paths.root).sort()).toEqual(['hooks.log', 'hooks.log.1', 'workspaces.json']);
    for (const name of ['hooks.log', 'hooks.log.1'])
      expect(statSync(join(paths.root, name)).size).toBeLessThan(LOG_BYTES + 1000);
  });
});
