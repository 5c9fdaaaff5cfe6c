import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Notification } from '@agent-mux/api';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { type Notifier, openNotifier } from '../src/notify/notifier.ts';
import type { NotifySettings, Rule, Target } from '../src/notify/notify-settings.ts';
import { createFakeService, newSession } from './fake-service.ts';
import { createFakeStore, type FakeStore } from './fake-store.ts';

export const TIMEOUT = { timeout: 30_000, interval: 20 };
export const SECRET = 'a secret of the tests';

interface TestHome {
  store: FakeStore;
  service: ReturnType<typeof createFakeService>;
  /** Offset from the wall clock. */
  shift: number;
  /** The home folder, and the first entry of PATH. */
  folder: string;
  logged: string[];
}

/** State of the current test. */
export const home: TestHome = createHome();
const closing: (() => Promise<unknown>)[] = [];

function createHome(): TestHome {
  const store = createFakeStore();
  return { store, service: createFakeService(store), shift: 0, folder: '', logged: [] };
}

/** Call once per test file. */
export function useTestHome(): void {
  vi.setConfig({ testTimeout: 60_000 });
  beforeEach(() => {
    Object.assign(home, createHome(), { folder: realpathSync(mkdtempSync(join(tmpdir(), 'notify-'))) });
    setClock(new Date(2026, 10, 16, 12, 0));
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    rmSync(home.folder, { recursive: true, force: true });
  });
}

export const now = () => Date.now() + home.shift;
export function setClock(time: Date): void {
  home.shift = time.getTime() - Date.now();
}

export interface Received {
  headers: IncomingMessage['headers'];
  body: string;
}

/** Starts a receiver on the loopback address; `answer` handles the nth request. */
export async function receive(answer: (nth: number, response: ServerResponse) => void) {
  const got: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      answer(got.length, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?with=a-secret-topic` };
}

export const fine = (_: number, response: ServerResponse) => void response.end();

export function webhook(name: string, url: string): Target {
  return { name, type: 'webhook', url, secretEnv: 'HOOK_SECRET' };
}

export function rule(options: Partial<Rule> & Pick<Rule, 'to'>): Rule {
  return {
    when: ['blocked', 'waiting_input', 'limited', 'failed', 'exited', 'idle'],
    inQuietHours: 'hold',
    ...options,
  };
}

export function createNotifier(
  targets: readonly Target[],
  rules: readonly Rule[],
  timing: object = {},
  env: NodeJS.ProcessEnv = {},
): Notifier {
  const settings: NotifySettings = {
    targets: new Map(targets.map((target) => [target.name, target])),
    rules,
    written: [],
  };
  const { store, service, folder, logged } = home;
  const notifier = openNotifier({
    store,
    service,
    settings,
    env: {
      PATH: `${folder}:${process.env.PATH}`,
      HOME: folder,
      HOOK_SECRET: SECRET,
      MY_API_KEY: 'hunter2-hunter2',
      ...env,
    },
    now,
    log: (line) => logged.push(line),
    timing: { graceMs: 0, firstPauseMs: 1, ...timing },
  });
  closing.push(() => notifier.stop());
  return notifier;
}

export async function startNotifier(
  targets: readonly Target[],
  rules: readonly Rule[],
  timing: object = {},
): Promise<Notifier> {
  const notifier = createNotifier(targets, rules, timing);
  notifier.start();
  // From here on it sees changes.
  await expect.poll(() => home.store.getRecord('notify', 'cursor'), TIMEOUT).toBeDefined();
  return notifier;
}

/** Triggers a change, so that the notifier checks the clock again. */
export async function nudge(): Promise<void> {
  await home.store.insertSession(session('nudge'));
  await finishTurn('nudge');
}

export const session = (id: string, patch = {}) => ({
  ...newSession(id),
  launch: 1,
  turns: 0,
  title: 'Fix the parser',
  ...patch,
});

/** Ends a turn of the session. */
export async function finishTurn(id: string, patch: object = {}): Promise<void> {
  const turns = ((await home.store.getSession(id))?.turns ?? 0) + 1;
  await home.store.updateSession(id, { activity: 'idle', activitySince: now(), turns, ...patch });
}

export async function ask(id: string, sessionId: string, title = 'Run: rm -rf build'): Promise<void> {
  await home.store.putRequest({
    id,
    sessionId,
    agent: 'demo',
    launch: 1,
    agentRequestId: '1',
    kind: 'approval',
    event: { title },
    state: 'open',
    outcome: null,
    by: null,
    answer: null,
    snoozedUntil: null,
    createdAt: now(),
    resolvedAt: null,
  });
}

export async function outcomes(notifier: Notifier): Promise<[string, string, Notification['outcome']][]> {
  const { notifications } = await notifier.list(100);
  return notifications.toReversed().map(({ target, state, outcome }) => [target, state, outcome]);
}
