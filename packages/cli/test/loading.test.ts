import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeDaemon } from './fake-daemon.ts';

const PACKAGES = join(import.meta.dirname, '../..');
const AMUX = join(PACKAGES, 'agent-mux/bin/amux.js');
const SDK = join(PACKAGES, 'agent-mux/dist/index.js');

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'loading-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Our files and library files that a process of the published package has loaded. */
function loadedBy(...args: string[]): string[] {
  const { status, stderr } = spawnSync(process.execPath, [...HOOK, ...args], {
    cwd: home,
    env: environment(),
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(0);
  return filesIn(stderr);
}

/** The same for a process that can be queried while this one runs. */
async function loadedWhile(program: string, args: readonly string[]): Promise<string[]> {
  const child = spawn(process.execPath, [...HOOK, program, ...args], { cwd: home, env: environment() });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.resume();
  const [status] = await once(child, 'close');
  expect(status, stderr).toBe(0);
  return filesIn(stderr);
}

const environment = () => ({ PATH: process.env.PATH, HOME: home, NODE_OPTIONS: '' });
const filesIn = (stderr: string) => [...stderr.matchAll(/^loaded file:\/\/(.*)$/gm)].map(([, path = '']) => path);

const HOOK = hookFlags();

function hookFlags(): string[] {
  const hook = `require('node:module').registerHooks({ load(url, context, next) {
    if (url.startsWith('file:')) process.stderr.write('loaded ' + url + '\\n');
    return next(url, context);
  } })`;
  return [
    '--import',
    `data:text/javascript,import module from 'node:module'; const require = module.createRequire('/'); ${encodeURIComponent(hook)}`,
  ];
}

/** Public codecs have a file of this form, but are not agents. */
const CODECS = ['acp', 'claude-stream', 'jsonrpc'];
const agentsIn = (files: readonly string[]) =>
  files
    .flatMap((file) => /\/adapters\/dist\/([^/]+)\/index\.js$/.exec(file)?.[1] ?? [])
    .filter((name) => !CODECS.includes(name));
const HEAVY =
  /node_modules\/(?:zod|yaml|jsonc-parser|@decimalturn)|\/core\/dist\/(?:sessions|native-config|extensions|install|doctor|models|auth|run\/options)\//;

describe('loaded modules', () => {
  it('of a new client include no adapter, manager or library', () => {
    const files = loadedBy('-e', `import(${JSON.stringify(SDK)}).then((mux) => mux.createClient().adapters.list())`);
    expect(files.length).toBeGreaterThan(1);
    expect(agentsIn(files)).toEqual([]);
    expect(files.filter((file) => HEAVY.test(file))).toEqual([]);
  });

  it('for one named agent include only that agent', () => {
    const script = `import(${JSON.stringify(SDK)}).then((mux) => mux.createClient().adapters.capabilities('claude'))`;
    expect(agentsIn(loadedBy('-e', script))).toEqual(['claude']);
  });

  it('of a demo run include only that agent, its option checks and no zod locale', () => {
    const files = loadedBy(AMUX, 'run', '-a', 'demo', '--json', 'hello');
    expect(agentsIn(files)).toEqual(['demo']);
    expect(
      files.filter((file) => /node_modules|locales|\/core\/dist\/(?:sessions|extensions|install|doctor)\//.test(file)),
    ).toEqual([]);
  });

  it.each([['agents'], ['auth'], ['sessions', 'list', '--all'], ['mcp', 'list']])(
    'of amux %s, which queries every agent, are one file with all of them and no library',
    (...words) => {
      const files = loadedBy(AMUX, ...words);
      expect(files.filter((file) => file.endsWith('/adapters/dist/all-agents.js'))).toHaveLength(1);
      expect(agentsIn(files)).toEqual([]);
      expect(files.filter((file) => /node_modules|schemas|locales/.test(file))).toEqual([]);
      // Resolving a file costs about as much as loading a whole agent.
      expect(files.length).toBeLessThanOrEqual(20);
    },
  );

  it('of a command that names an agent include only that agent, without other families', () => {
    const files = loadedBy(AMUX, 'config', 'get', 'claude');
    expect(agentsIn(files)).toEqual(['claude']);
    expect(files.filter((file) => /\/adapters\/dist\/(?:all-agents|acp|opencode-family|pi-family)/.test(file))).toEqual(
      [],
    );
  });

  it('of a reporting hook are one small file', () => {
    const files = loadedBy(AMUX, 'hooks', 'claude', 'Stop');
    expect(files.map((file) => file.split('/packages/')[1])).toEqual([
      'agent-mux/bin/amux.js',
      'daemon/dist/hooks/reporter.js',
    ]);
  });

  it('of amux help include no agent', () => {
    expect(agentsIn(loadedBy(AMUX, 'help'))).toEqual([]);
  });

  describe('of commands that use the daemon', () => {
    let daemon: FakeDaemon;
    let id: string;
    beforeEach(async () => {
      daemon = new FakeDaemon({ home, cwd: home });
      await daemon.listen();
      id = daemon.add().id;
      daemon.turn(id, 'ask');
    });
    afterEach(() => daemon.die());

    it.each([
      ['ps'],
      ['ps', '--json'],
      ['status'],
      ['show', 'ID'],
      ['inbox'],
      ['send', 'ID', '--no-stdin', 'hello'],
      ['approve', 'ID'],
      ['deny', 'ID', 'no'],
      ['events', 'ID'],
      ['park', 'ID'],
      ['stop', 'ID'],
      ['rm', 'ID', '--yes'],
    ])('is neither the engine, nor an adapter, nor a library: amux %s', async (...words) => {
      const files = await loadedWhile(
        AMUX,
        words.map((word) => (word === 'ID' ? id : word)),
      );
      expect(agentsIn(files)).toEqual([]);
      expect(
        files.filter((file) =>
          /node_modules\/(?!@agent-mux)|\/core\/dist\/(?!light\.js)|schemas|\/adapters\//.test(file),
        ),
      ).toEqual([]);
      expect(files.length).toBeLessThanOrEqual(16);
    });
  });
});
