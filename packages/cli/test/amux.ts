import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

export const FAKE_AGENT = fileURLToPath(new URL('../../testkit/src/fake-agent/agent.mjs', import.meta.url));
/** The built command. */
export const AMUX: readonly string[] = [process.execPath, fileURLToPath(new URL('../bin/amux.js', import.meta.url))];
const COMPILE_CACHE = fileURLToPath(new URL('../../../node_modules/.cache/agent-mux-compile', import.meta.url));
/** The machine may be busy. */
export const TIMEOUT_MS = 90_000;

export interface TestHome {
  home: string;
  /** An empty project. */
  cwd: string;
}

const homes: string[] = [];
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true });
});

/** Writes a program for a test's PATH. */
export function writeProgram(folder: string, name: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
}

/** A fresh user without the machine's home or configuration. */
export function createTestHome(): TestHome {
  const home = mkdtempSync(join(tmpdir(), 'amux-test-'));
  homes.push(home);
  const cwd = join(home, 'project');
  mkdirSync(cwd);
  return { home, cwd };
}

export function writeConfig(file: string, config: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(config, null, 2));
}

export const userConfig = ({ home }: TestHome): string => join(home, '.config', 'agent-mux', 'config.json');
export const projectConfig = ({ cwd }: TestHome): string => join(cwd, '.agent-mux', 'config.json');

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Started {
  child: ChildProcess;
  finished: Promise<Finished>;
  /** Resolves once stdout and stderr together contain the text; rejects when the process ends without it. */
  until(text: string | RegExp): Promise<void>;
  output(): string;
}

export function environment(testHome: TestHome, env: Record<string, string>): Record<string, string> {
  const path = [dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  return {
    PATH: path,
    HOME: testHome.home,
    TMPDIR: tmpdir(),
    TERM: 'xterm',
    DEMO_SPEED: '0',
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...env,
  };
}

/** Without a terminal; stdin stays open until the test ends it. */
export function start(testHome: TestHome, args: readonly string[], env: Record<string, string> = {}): Started {
  const [command = '', ...before] = AMUX;
  return follow(spawn(command, [...before, ...args], { cwd: testHome.cwd, env: environment(testHome, env) }));
}

export async function amux(
  testHome: TestHome,
  args: readonly string[],
  options: { stdin?: string; env?: Record<string, string> } = {},
): Promise<Finished> {
  const { child, finished } = start(testHome, args, options.env);
  child.stdin?.end(options.stdin ?? '');
  return finished;
}

/** Runs a shell line in which $AMUX is the command; stdin is empty. */
export function shell(testHome: TestHome, line: string): Started {
  const env = environment(testHome, {});
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe'];
  return follow(spawn('bash', ['-c', line.replaceAll('$AMUX', quoted(AMUX))], { cwd: testHome.cwd, env, stdio }));
}

export const hasScript = spawnSync('script', ['--version']).stdout?.toString().includes('util-linux') ?? false;

/** Runs on a separate terminal, 100 columns wide by default. Text written to the child is typed there. */
export function onTerminal(
  testHome: TestHome,
  args: readonly string[],
  env: Record<string, string> = {},
  { columns = 100, before = '', after = '' }: { columns?: number; before?: string; after?: string } = {},
): Started {
  const line = `stty cols ${columns} rows 40; ${before} exec ${quoted([...AMUX, ...args])} ${after}`;
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: testHome.cwd, env: environment(testHome, env) });
  return follow(child);
}

/** A shell with job control on a separate terminal, where `amux` is started through another shell, as with npx. */
export function inShell(testHome: TestHome, columns: number): Started {
  const bin = join(testHome.home, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'amux'), `#!/bin/sh\n${quoted(AMUX)} "$@"\n`, { mode: 0o755 });
  const rc = join(testHome.home, 'rc');
  writeFileSync(rc, `PS1='$ '; PATH=${quoted([bin])}:$PATH; bind 'set enable-bracketed-paste off'\n`);
  const line = `stty cols ${columns} rows 40; exec bash --rcfile ${quoted([rc])} -i`;
  const env = environment(testHome, { NO_COLOR: '1' });
  return follow(spawn('script', ['-qec', line, '/dev/null'], { cwd: testHome.cwd, env }));
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
}

function follow(child: ChildProcess): Started {
  let stdout = '';
  let stderr = '';
  let over = false;
  const waiting = new Set<() => void>();
  const look = () => {
    for (const one of [...waiting]) one();
  };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    look();
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    look();
  });
  child.stdin?.on('error', () => {});
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      over = true;
      look();
      resolve({ code, stdout, stderr });
    });
  });
  const output = () => stdout + stderr;
  return {
    child,
    finished,
    output,
    until: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = typeof text === 'string' ? output().includes(text) : text.test(output());
          if (!found && !over) return;
          waiting.delete(check);
          if (found) resolve();
          else reject(new Error(`ended without ${text}:\n${output()}`));
        };
        waiting.add(check);
        check();
      }),
  };
}
