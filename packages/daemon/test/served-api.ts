import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConfiguredClient, createConfiguredClient } from '@agent-mux/adapters/client';
import { PolicyStore } from '@agent-mux/core';
import { createApi } from '../src/http/api.ts';
import type { ApiLimits } from '../src/http/limits.ts';
import type { ApiParts } from '../src/http/parts.ts';
import { type RunningServer, serve } from '../src/http/serve.ts';
import { type NotificationService, openNotifier } from '../src/notify/notifier.ts';
import { daemonPathsIn } from '../src/paths.ts';
import { openSchedules, type ScheduleService } from '../src/schedules/schedules.ts';
import { openSettings } from '../src/settings/open-settings.ts';
import { createFakeService, newSession } from './fake-service.ts';
import { createFakeStore, type FakeStore } from './fake-store.ts';

export const TOKEN = 'a-token-of-the-tests-that-opens-nothing-anywhere';

export interface ServedApi extends RunningServer {
  store: FakeStore;
  service: ReturnType<typeof createFakeService>;
  schedules: ScheduleService;
  notifications: NotificationService;
  folder: string;
  /** The workspace of the session `one`. */
  workspace: string;
  paths: ReturnType<typeof daemonPathsIn>;
  client: ConfiguredClient;
  policy: ApiParts['policy'];
  settings: ApiParts['settings'];
  logged: { message: string; detail: unknown }[];
  shutDowns: number;
  now: number;
  ask(path: string, options?: AskOptions): Promise<Answer>;
  stop(): Promise<void>;
}

export interface AskOptions {
  method?: string;
  /** Objects are sent as JSON. */
  body?: unknown;
  headers?: OutgoingHttpHeaders;
  /** Default: the token. Null: none. */
  token?: string | null;
}

export interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
  /** Throws if the text is not JSON. */
  json(): Record<string, unknown>;
}

/** A real server on a loopback port with an in-memory store and service, and a session `one`. */
export async function serveApi(limits: Partial<ApiLimits> = {}, parts: Partial<ApiParts> = {}): Promise<ServedApi> {
  const folder = mkdtempSync(join(tmpdir(), 'http-'));
  const workspace = join(folder, 'workspace');
  mkdirSync(workspace);
  const paths = daemonPathsIn(join(folder, 'daemon'));
  const store = createFakeStore();
  const service = createFakeService(store);
  const env = {
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CONFIG_HOME: join(folder, 'config'),
    PATH: '',
  };
  const client = createConfiguredClient({ env, cwd: folder });
  const policy = { book: new PolicyStore({ env }), env };
  const logged: ServedApi['logged'] = [];
  await store.insertSession({ ...newSession('one'), cwd: workspace, workspace: { kind: 'folder', path: workspace } });
  const state = { shutDowns: 0, now: 1_800_000_000_000 };
  const shared = {
    store,
    service,
    env,
    now: () => state.now,
    log: (message: string) => logged.push({ message, detail: null }),
  };
  const schedules = openSchedules(shared);
  const notifications = openNotifier({ ...shared, settings: { targets: new Map(), rules: [], written: [] } });
  const settings = openSettings({ env, home: folder, log: shared.log });
  const api = createApi({
    service,
    schedules,
    notifications,
    store,
    paths,
    client,
    policy,
    settings,
    auth: { token: TOKEN },
    clock: () => state.now,
    log: (message, detail) => logged.push({ message, detail }),
    limits,
    version: '0.0.0',
    shutdown: () => {
      state.shutDowns += 1;
    },
    ...parts,
  });
  const served = await serve(api, { port: 0 });
  return Object.assign(state, {
    ...served,
    store,
    service,
    schedules,
    notifications,
    folder,
    workspace,
    paths,
    client,
    policy,
    settings,
    logged,
    ask: (path: string, options: AskOptions = {}) => askServer(served.port, path, options),
    async stop() {
      await served.close();
      await client.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  });
}

export function openRequest(port: number, path: string, { method = 'GET', headers = {}, token = TOKEN }: AskOptions) {
  return request({
    host: '127.0.0.1',
    port,
    path,
    method,
    agent: false,
    headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
  });
}

export function askServer(port: number, path: string, options: AskOptions): Promise<Answer> {
  const { body } = options;
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const headers = { ...(isRaw ? {} : { 'content-type': 'application/json' }), ...options.headers };
  return new Promise((resolve, reject) => {
    const sent = openRequest(port, path, { ...options, headers });
    sent.on('error', reject);
    sent.on('response', (incoming) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(parts).toString('utf8');
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: () => JSON.parse(text) });
      });
    });
    sent.end(isRaw ? body : JSON.stringify(body));
  });
}
