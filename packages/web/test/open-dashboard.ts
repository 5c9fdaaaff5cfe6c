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
 * Lets a test call the API from within a page ("fetch" without an accept header) with the credential that the page sent
 * last. On a page that is not signed in such a call waits.
 */
const SHARE_LOGIN = `{
  const plain = window.fetch;
  const sent = Promise.withResolvers();
  window.signedIn = sent.promise.then(() => {});
  window.fetch = async (input, init = {}) => {
    const headers = new Headers(init.headers);
    const credential = headers.get('authorization');
    if (credential !== null) sent.resolve(), (window.lastCredential = credential);
    else if (!headers.has('accept') && /^\\/api\\/v1\\/(?!health$|browsers$)/.test(String(input))) {
      await sent.promise;
      headers.set('authorization', window.lastCredential);
    }
    return plain(input, { ...init, headers });
  };
}`;
/** The built CLI, as users install it. */
const AMUX = fileURLToPath(new URL('../../agent-mux/bin/amux.js', import.meta.url));
/** Adapter module that turns a script into an agent, in any process. */
const SCRIPTED = fileURLToPath(new URL('../../daemon/test/fake-adapter.ts', import.meta.url));
/** Start timeout, long enough for a busy machine. */
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
  /** Project folder. */
  readonly work: string;
  /** Runs an amux command and returns its JSON output. */
  amux(...args: string[]): Promise<Record<string, unknown>>;
  /** Runs an amux command and returns its output. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  /** Opens a fresh signed-in browser; `issues` collects console errors and CSP violations. */
  open(options?: BrowserContextOptions): Promise<{ page: Page; issues: string[] }>;
  /** Opens a fresh browser that is not signed in. */
  openSignedOut(options?: BrowserContextOptions): Promise<{ page: Page; issues: string[] }>;
  /** Kills the daemon with SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops all processes and removes all files. */
  stop(): Promise<void>;
}

/** Scripts of fake agents by name, turn by turn. The steps are those of the testkit's fake agent. */
export type Scripts = Readonly<Record<string, readonly object[][]>>;

export interface DashboardOptions {
  scripts?: Scripts;
  /** The user's config file. */
  config?: Readonly<Record<string, unknown>> & { adapters?: readonly unknown[] };
  /** Shell scripts to put first on PATH, by name. */
  programs?: Readonly<Record<string, string>>;
  /** A folder to put first on PATH. */
  bin?: string;
  /** Additional environment of the daemon and its agents. */
  env?(home: string): Readonly<Record<string, string>>;
  /** Runs before the daemon starts; `root` contains all of its files. */
  prepare?(root: string): Promise<void>;
}

/** Starts a separate real daemon with the demo agent, and a real browser. */
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
    // Exiting processes still write their compile cache, so it must be outside of the removed folder.
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(root, 'cache'),
    DEMO_SPEED: '0.1',
    ...more?.(join(root, 'home')),
  };
  let child: ChildProcess | undefined;
  let url = '';
  const contexts: BrowserContext[] = [];

  async function start(): Promise<void> {
    // Reuse the port, so that open pages find the daemon again.
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
      const printed = readUrl(output);
      if (printed !== undefined) {
        url = printed;
        return;
      }
      if (started.exitCode !== null) throw new Error(`the daemon exited: ${output}`);
      if (Date.now() > limit) throw new Error(`the daemon did not start in time: ${output}`);
    }
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const exited = new Promise((resolve) => child?.once('close', resolve));
    child?.kill(signal);
    await exited;
  }

  async function run(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<string> {
    const running = promisify(execFile)(process.execPath, [AMUX, ...args], { env: { ...env, ...more }, cwd: work });
    // Close stdin, from which amux would read a prompt.
    running.child.stdin?.end();
    return (await running).stdout;
  }

  async function amux(...args: string[]): Promise<Record<string, unknown>> {
    return JSON.parse((await run([...args, '--json'])) || '{}');
  }

  async function openSignedOut(options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    contexts.push(context);
    await context.addInitScript(SHARE_LOGIN);
    const page = await context.newPage();
    const issues: string[] = [];
    page.on('pageerror', (error) => issues.push(error.message));
    page.on('console', (message) => {
      // Ignore connection errors while the daemon is down and 401 responses before the login.
      if (message.type() === 'error' && !/ERR_CONNECTION|ERR_INCOMPLETE|ERR_INTERNET|401/.test(message.text()))
        issues.push(message.text());
    });
    return { page, issues };
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
    openSignedOut,
    async open(options) {
      const opened = await openSignedOut(options);
      const { url: link } = await amux('open');
      await opened.page.goto(String(link));
      // Wait until the login is stored: leaving the page earlier would lose it.
      await opened.page.evaluate('window.signedIn');
      await opened.page.getByRole('navigation').waitFor();
      return opened;
    },
    kill: () => end('SIGKILL'),
    start,
    async stop() {
      for (const context of contexts) await context.close();
      await browser.close();
      await amux('down', '--stop-sessions').catch(() => undefined);
      if (child && child.exitCode === null && child.signalCode === null) await end('SIGTERM');
      // An exiting process may still write files.
      for (let tries = 0; existsSync(root) && tries < 20; tries += 1) {
        rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
        if (existsSync(root)) await sleep(200);
      }
    },
  };
}

/** Undefined until the output is complete. */
function readUrl(output: string): string | undefined {
  try {
    return String(JSON.parse(output.slice(output.indexOf('{'))).url);
  } catch {
    return undefined;
  }
}
