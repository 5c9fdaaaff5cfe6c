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
import { findHookPlaces, keepSpoolSmall, logFailure, report, writeReport } from '../src/hooks/report.ts';
import { type Delivery, type HookPlaces, hookPlacesIn, LOG_BYTES, PAYLOAD_BYTES } from '../src/hooks/spool.ts';
import { callHook, manage, startReporter } from './hooks.ts';

vi.setConfig({ testTimeout: 120_000 });

let root: string;
let home: { env: Record<string, string>; work: string };
let places: HookPlaces;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'reporter-')));
  mkdirSync(join(root, 'work'));
  home = { env: { PATH: process.env.PATH ?? '', HOME: root }, work: join(root, 'work') };
  places = manage(home);
});
afterEach(() => {
  chmodSync(places.root, 0o700);
  rmSync(root, { recursive: true, force: true });
});

const reports = (): Delivery[] =>
  existsSync(places.spool)
    ? readdirSync(places.spool)
        .sort()
        .map((name) => JSON.parse(readFileSync(join(places.spool, name), 'utf8')))
    : [];
const log = () => (existsSync(places.log) ? readFileSync(places.log, 'utf8') : '');
const told = (given: Partial<Delivery> = {}) => ({
  ...{ agent: 'fake', event: 'Stop', session: null, sessionBy: null, run: null, cwd: '/', at: 1 },
  ...{ ppid: 1, ancestors: [], input: { text: '{}', cut: false } },
  ...given,
});

describe('a call of a hook', () => {
  it('was when its caller says, where that waits for nobody; a time that cannot be is not believed', async () => {
    const said = Date.now() - 5000.25;
    for (const [event, at] of [
      ['late', said],
      ['never', said - 3_600_000],
      ['tomorrow', said + 86_400_000],
      ['early', said - 1],
    ] as const)
      await callHook(home, { event, env: { AGENT_MUX_HOOK_TIME: String(at) } });
    expect(reports().map(({ event }) => event)).toEqual(['early', 'late', 'never', 'tomorrow']);
    expect(reports()[1]?.at).toBe(said);
    expect(
      Math.min(
        ...reports()
          .slice(2)
          .map(({ at }) => at),
      ),
    ).toBeGreaterThan(said);
  });

  it('leaves one report with all that the daemon needs to know, and is silent', async () => {
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
    expect(readdirSync(places.spool)).toEqual([`${one?.id}.json`]);
    if (process.platform === 'linux') expect(one?.ancestors[0]).toMatchObject({ pid: process.pid });
    expect(log()).toBe('');
  });

  it('knows its workspace by the real path, and its session by the variable or the argument', async () => {
    const link = join(root, 'link');
    symlinkSync(home.work, link);
    const elsewhere = join(root, 'elsewhere');
    mkdirSync(elsewhere);
    await callHook(home, { event: 'Start', cwd: link });
    await callHook(home, { event: 'Start', cwd: elsewhere });
    await callHook(home, { event: 'Start', cwd: elsewhere, env: { AGENT_MUX_SESSION_ID: 's1' } });
    await callHook(home, { event: 'Start', cwd: elsewhere, args: ['s2'], env: { AGENT_MUX_SESSION_ID: 's1' } });
    expect(reports().map(({ session, sessionBy, cwd }) => [session, sessionBy, cwd])).toEqual([
      [null, null, home.work],
      ['s1', 'environment', elsewhere],
      ['s2', 'argument', elsewhere],
    ]);
  });

  it('keeps the beginning of a payload that is too long, and reads the rest', async () => {
    const long = Buffer.alloc(100 * 1024 * 1024, 'x');
    await callHook(home, { event: 'Stop', payload: long });
    await callHook(home, { event: 'Stop', payload: 'x'.repeat(PAYLOAD_BYTES) });
    expect(reports().map(({ payload, cut }) => [payload.length, cut])).toEqual([
      [PAYLOAD_BYTES, true],
      [PAYLOAD_BYTES, false],
    ]);
  });

  it('does not wait for an input that never ends, be it a socket or a pipe', async () => {
    const pipe = join(root, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const held = openSync(pipe, constants.O_RDWR);
    writeSync(held, '{"id": "n1", ');
    for (const input of ['pipe', openSync(pipe, constants.O_RDONLY)] as const) {
      const child = startReporter(home.env, { event: 'Stop', cwd: home.work, input });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (words) => (output += words));
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
    ['words that are too many', ['fake', 'Stop', 's1', 'more'], {}],
    ['an event of several lines', ['fake', 'Stop\nx'], {}],
  ])('says in the log what is wrong with it, and nowhere else: %s', async (_, args) => {
    await report(args, home.env, Date.now());
    expect(reports()).toEqual([]);
    expect(log()).toContain('the call must be amux hooks AGENT EVENT [SESSION]');
    expect(log().trimEnd().split('\n')).toHaveLength(1);
    expect(statSync(places.log).mode & 0o777).toBe(0o600);
  });

  it('never fails: closed input, a folder that is gone, files where folders should be, nothing that can be written', async () => {
    const reporter = join(import.meta.dirname, '../dist/hooks/reporter.js');
    const words = [process.execPath, reporter, 'hooks', 'fake', 'Stop'].map((word) => `'${word}'`).join(' ');
    const run = (script: string, env: Record<string, string> = home.env) =>
      execFileSync('sh', ['-c', `cd '${home.work}'; { ${script}; } 2>&1; echo $?`], { env, encoding: 'utf8' });
    expect(run(`${words} <&-`)).toBe('0\n');
    expect(run(`${words} </dev/null >&- 2>&-`)).toBe('0\n');
    expect(run(`mkdir gone; cd gone; rmdir ../gone; ${words} </dev/null`)).toBe('0\n');
    expect(reports()).toHaveLength(2);
    const { HOME: _, ...homeless } = home.env;
    expect(run(`${words} </dev/null`, { ...homeless, XDG_STATE_HOME: 'not/absolute', HOME: '/nonexistent' })).toBe(
      '0\n',
    );
    writeFileSync(places.workspaces, '{"workspaces": [');
    expect(run(`${words} </dev/null`)).toBe('0\n');
    manage(home);
    rmSync(places.spool, { recursive: true });
    writeFileSync(places.spool, 'a file');
    expect(run(`${words} </dev/null`)).toBe('0\n');
    expect(log()).toMatch(/JSON|ENOTDIR/);
    expect(readdirSync(places.unfinished)).toEqual([]);
    rmSync(places.root, { recursive: true });
    writeFileSync(places.root, 'a file');
    expect(run(`AGENT_MUX_SESSION_ID=s1 ${words} </dev/null`)).toBe('0\n');
    rmSync(places.root);
    mkdirSync(places.root);
  });

  it.runIf(existsSync('/dev/full'))('never fails where its standard streams do', async () => {
    const full = openSync('/dev/full', 'w');
    const child = startReporter(home.env, { event: 'Stop', cwd: home.work, output: full });
    closeSync(full);
    child.stdin?.end();
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    expect(reports()).toHaveLength(1);
  });
});

describe('the spool', () => {
  it('lies where the state folder is, as everybody else finds it', () => {
    for (const env of [{ HOME: '/h' }, { HOME: '/h', XDG_STATE_HOME: '/s' }, { HOME: '/h', XDG_STATE_HOME: 's' }, {}])
      expect(findHookPlaces(env)).toEqual(hookPlacesIn(stateFolder(env)));
  });

  it('names reports in the order of their calls', () => {
    const at = [1000.5, 1000.25, 999, 123_456_789_012.345, 1000.25];
    const ids = at.map((time) => writeReport(places, told({ at: time })));
    expect(readdirSync(places.spool).sort()).toEqual([2, 1, 4, 0, 3].map((index) => `${ids[index]}.json`));
  });

  it('loses the oldest reports, and says so, where nobody takes them', () => {
    const ids = Array.from({ length: 12 }, (_, index) => writeReport(places, told({ at: index })));
    keepSpoolSmall(places, { files: 10, bytes: 1_000_000 });
    expect(readdirSync(places.spool).sort()).toEqual(ids.slice(2).map((id) => `${id}.json`));
    const size = statSync(join(places.spool, `${ids[11]}.json`)).size;
    keepSpoolSmall(places, { files: 10, bytes: 3 * size + 1 });
    expect(readdirSync(places.spool).sort()).toEqual(ids.slice(9).map((id) => `${id}.json`));
    expect(log()).toMatch(/2 old reports were dropped(.|\n)*7 old reports were dropped/);
  });

  it('has a log that does not grow for ever, one line for each trouble', () => {
    const line = `${'x'.repeat(400)}\nno line of its own \u001b[31m`;
    for (let count = 0; count < 3 * (LOG_BYTES / 400); count += 1) logFailure(places, line);
    expect(log()).not.toContain('\u001b');
    expect(readdirSync(places.root).sort()).toEqual(['hooks.log', 'hooks.log.1', 'workspaces.json']);
    for (const name of ['hooks.log', 'hooks.log.1'])
      expect(statSync(join(places.root, name)).size).toBeLessThan(LOG_BYTES + 1000);
  });
});
