import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findBrowser } from './find-browser.ts';

/**
 * A test that calls the API from within a page ("fetch" without an accept header) is signed in as the page itself is: with what
 * the page has shown last. A page that is not signed in has shown nothing.
 */
const SHARE_LOGIN = `{
  const plain = window.fetch;
  const shown = Promise.withResolvers();
  window.signedIn = shown.promise.then(() => {});
  window.fetch = async (input, init = {}) => {
    const headers = new Headers(init.headers);
    const own = headers.get('authorization');
    if (own !== null) shown.resolve(), (window.lastShown = own);
    else if (!headers.has('accept') && /^\\/api\\/v1\\/(?!health$|browsers$)/.test(String(input))) {
      await shown.promise;
      headers.set('authorization', window.lastShown);
    }
    return plain(input, { ...init, headers });
  };
}`;
/** What people install, as it was built. */
const AMUX = fileURLToPath(new URL('../../agent-mux/bin/amux.js', import.meta.url));
/** Makes an agent of a script, in whatever process asks for it. */
const SCRIPTED = fileURLToPath(new URL('../../daemon/test/fake-adapter.ts', import.meta.url));
/** On a machine that is busy with other things. */
const START_MS = 60_000;
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const executablePath = findBrowser();

export interface Dashboard {
  readonly url: string;
  /** A folder to work in. */
  readonly work: string;
  /** A command, with its JSON. */
  amux(...args: string[]): Promise<Record<string, unknown>>;
  /** A command as a person runs it, with what it printed. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  /** Of a fresh browser that is signed in; `faults` has whatever its console or policy complained about. */
  open(options?: BrowserContextOptions): Promise<{ page: Page; faults: string[] }>;
  /** A fresh one that nobody has signed in. */
  openStranger(options?: BrowserContextOptions): Promise<{ page: Page; faults: string[] }>;
  /** With -9, and without a word. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Nothing of it is left: no process, no folder. */
  stop(): Promise<void>;
}

/** What scripted agents do, turn by turn, by their names. The steps are those of the testkit's fake agent. */
export type Scripts = Readonly<Record<string, readonly object[][]>>;

export interface DashboardOptions {
  scripts?: Scripts;
  /** The user's configuration file. */
  config?: Readonly<Record<string, unknown>> & { adapters?: readonly unknown[] };
  /** Shell scripts that are found before all else, by their names. */
  programs?: Readonly<Record<string, string>>;
  /** A folder whose programs come first. */
  bin?: string;
  /** Of the daemon and its agents; HOME is in it. */
  env?(home: string): Readonly<Record<string, string>>;
  /** Before the daemon starts; with the folder that has all that is its own. */
  prepare?(root: string): Promise<void>;
}

/** A real daemon of its own with the demo agent, and a real browser. */
export async function openDashboard({
  scripts = {},
  config = {},
  programs = {},
  bin,
  env: more,
  prepare,
}: DashboardOptions = {}): Promise<Dashboard> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'w-')));
  const work = join(root, 'project');
  const env = {
    PATH: [...(bin === undefined ? [] : [bin]), join(root, 'bin'), process.env.PATH ?? ''].join(delimiter),
    HOME: join(root, 'home'),
    TMPDIR: tmpdir(),
    XDG_STATE_HOME: join(root, 'state'),
    XDG_CONFIG_HOME: join(root, 'config'),
    // Compiled code is kept by processes that are just ending: not within what is removed then.
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(root, 'cache'),
    DEMO_SPEED: '0.1',
    ...more?.(join(root, 'home')),
  };
  let child: ChildProcess | undefined;
  let url = '';
  const contexts: BrowserContext[] = [];

  async function start(): Promise<void> {
    // The same port again, so that a page that is open finds it.
    const port = url === '' ? '0' : new URL(url).port;
    const started = spawn(process.execPath, [AMUX, 'up', '--foreground', '--port', port, '--json'], {
      env,
      cwd: work,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    let output = '';
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (piece) => (output += piece));
    for (const limit = Date.now() + START_MS; ; await sleep(50)) {
      const told = readUrl(output);
      if (told !== undefined) {
        url = told;
        return;
      }
      if (started.exitCode !== null) throw new Error(`the daemon has ended: ${output}`);
      if (Date.now() > limit) throw new Error(`the daemon does not start: ${output}`);
    }
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const gone = new Promise((resolve) => child?.once('close', resolve));
    child?.kill(signal);
    await gone;
  }

  async function run(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<string> {
    const running = promisify(execFile)(process.execPath, [AMUX, ...args], { env: { ...env, ...more }, cwd: work });
    // A prompt could come that way.
    running.child.stdin?.end();
    return (await running).stdout;
  }

  async function amux(...args: string[]): Promise<Record<string, unknown>> {
    return JSON.parse((await run([...args, '--json'])) || '{}');
  }

  async function openStranger(options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    contexts.push(context);
    await context.addInitScript(SHARE_LOGIN);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      // That the daemon does not answer is told by the browser too; what is asked before the login is refused.
      if (message.type() === 'error' && !/ERR_CONNECTION|ERR_INCOMPLETE|ERR_INTERNET|401/.test(message.text()))
        faults.push(message.text());
    });
    return { page, faults };
  }

  const settings = join(env.XDG_CONFIG_HOME, 'agent-mux');
  for (const folder of [work, env.HOME, settings, join(root, 'bin')]) mkdirSync(folder, { recursive: true });
  const adapters = Object.entries(scripts).map(([agent, turns]) => ({
    from: SCRIPTED,
    options: { agent, steps: [{ do: 'live', turns }] },
  }));
  writeFileSync(
    join(settings, 'config.json'),
    JSON.stringify({ ...config, adapters: [...adapters, ...(config.adapters ?? [])] }),
  );
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  await prepare?.(root);
  const browser = await chromium.launch({ executablePath: executablePath!, args: FLAGS });
  await start();

  return {
    get url() {
      return url;
    },
    work,
    amux,
    run,
    openStranger,
    async open(options) {
      const opened = await openStranger(options);
      const { url: link } = await amux('open');
      await opened.page.goto(String(link));
      // The login is stored before the page uses it: a page that is left earlier is not signed in.
      await opened.page.evaluate('window.signedIn');
      await opened.page.getByRole('navigation').waitFor();
      return opened;
    },
    kill: () => end('SIGKILL'),
    start,
    async stop() {
      for (const context of contexts) await context.close();
      await browser.close();
      await amux('down', '--stop').catch(() => undefined);
      if (child && child.exitCode === null && child.signalCode === null) await end('SIGTERM');
      // A process that is just ending still writes its compiled code.
      for (let tries = 0; existsSync(root) && tries < 20; tries += 1) {
        rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
        if (existsSync(root)) await sleep(200);
      }
    },
  };
}

/** Undefined until all of it is there. */
function readUrl(output: string): string | undefined {
  try {
    return String(JSON.parse(output.slice(output.indexOf('{'))).url);
  } catch {
    return undefined;
  }
}
