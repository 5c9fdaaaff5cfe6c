import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, vi } from 'vitest';
import { findBrowser } from './find-browser.ts';

/** What people install, as it was built. */
const AMUX = fileURLToPath(new URL('../../agent-mux/bin/amux.js', import.meta.url));
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
if (executablePath === undefined) console.warn('no chromium is on PATH: the tests of the dashboard are left out');

export interface Dashboard {
  readonly url: string;
  /** A folder to work in. */
  readonly work: string;
  /** A command, with its JSON. */
  amux(...args: string[]): Promise<Record<string, unknown>>;
  /** Of a fresh browser that is signed in; `faults` has whatever its console or policy complained about. */
  open(options?: BrowserContextOptions): Promise<{ page: Page; faults: string[] }>;
  /** A fresh one that nobody has signed in. */
  openStranger(options?: BrowserContextOptions): Promise<{ page: Page; faults: string[] }>;
  /** With -9, and without a word. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** What the machine has beside the demo agent. `programs`: shell scripts, by the name that they are found by. */
interface Installed {
  config?: Record<string, unknown>;
  programs?: Readonly<Record<string, string>>;
}

/** A real daemon of its own with the demo agent, and a real browser. All of it is gone after the tests of the file. */
export function useDashboard({ config = {}, programs = {} }: Installed = {}): Dashboard {
  vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'w-')));
  const work = join(root, 'project');
  const env = {
    PATH: [join(root, 'bin'), process.env.PATH].join(delimiter),
    HOME: join(root, 'home'),
    TMPDIR: tmpdir(),
    XDG_STATE_HOME: join(root, 'state'),
    XDG_CONFIG_HOME: join(root, 'config'),
    XDG_CACHE_HOME: join(root, 'cache'),
    DEMO_SPEED: '0.1',
  };
  let child: ChildProcess | undefined;
  let url = '';
  let browser: Browser | undefined;
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
    await vi.waitFor(
      () => {
        if (started.exitCode !== null) throw new Error(`the daemon has ended: ${output}`);
        url = String(JSON.parse(output.slice(output.indexOf('{'))).url);
      },
      { timeout: 60_000, interval: 50 },
    );
  }

  async function end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const gone = new Promise((resolve) => child?.once('close', resolve));
    child?.kill(signal);
    await gone;
  }

  async function amux(...args: string[]): Promise<Record<string, unknown>> {
    const running = promisify(execFile)(process.execPath, [AMUX, ...args, '--json'], { env, cwd: work });
    // A prompt could come that way.
    running.child.stdin?.end();
    const { stdout } = await running;
    return JSON.parse(stdout || '{}');
  }

  async function openStranger(options: BrowserContextOptions = {}) {
    const context = await browser!.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    contexts.push(context);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      // That the daemon does not answer is told by the browser too; what is asked before the login is refused.
      if (message.type() === 'error' && !/ERR_CONNECTION|ERR_INCOMPLETE|401/.test(message.text()))
        faults.push(message.text());
    });
    return { page, faults };
  }

  beforeAll(async () => {
    const settings = join(env.XDG_CONFIG_HOME, 'agent-mux');
    for (const folder of [work, env.HOME, settings, join(root, 'bin')]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(settings, 'config.json'), JSON.stringify(config));
    for (const [name, script] of Object.entries(programs))
      writeFileSync(join(root, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    await start();
    browser = await chromium.launch({ executablePath: executablePath!, args: FLAGS });
  });
  afterAll(async () => {
    for (const context of contexts) await context.close();
    await browser?.close();
    await amux('down', '--stop').catch(() => undefined);
    if (child && child.exitCode === null && child.signalCode === null) await end('SIGTERM');
    rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });

  return {
    get url() {
      return url;
    },
    work,
    amux,
    openStranger,
    async open(options) {
      const opened = await openStranger(options);
      const { url: link } = await amux('open');
      await opened.page.goto(String(link));
      await opened.page.getByRole('navigation').waitFor();
      return opened;
    },
    kill: () => end('SIGKILL'),
    start,
  };
}

/** Begins a session by the dialog, as a person does. */
export async function beginSession(page: Page, { prompt, folder }: { prompt: string; folder: string }): Promise<void> {
  await page.getByRole('button', { name: 'New session' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New session' });
  await dialog.getByLabel('Prompt').fill(prompt);
  await dialog.getByRole('combobox', { name: 'Agent' }).selectOption('demo');
  await dialog.getByLabel('Folder').fill(folder);
  await dialog.getByRole('button', { name: 'Start' }).click();
  await page.getByRole('log').waitFor();
}
