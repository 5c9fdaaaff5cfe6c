import { statSync } from 'node:fs';
import { type ConfiguredClient, createConfiguredClient } from '@agent-mux/adapters/client';
import { isRecord, PolicyBook, projectConfigFile, stateFolder, userConfigFile, withFileLock } from '@agent-mux/core';
import { openDaemonLog } from './daemon-log.ts';
import { hookPlacesIn } from './hooks/spool.ts';
import { keepToken } from './http/access/token-file.ts';
import { type Api, createApi } from './http/api.ts';
import { findDashboard } from './http/dashboard/dashboard.ts';
import { type Served, serve } from './http/serve.ts';
import { openNotifier } from './notify/notifier.ts';
import { keepRecord, makeFolders, removeRecord, writeRecord } from './own-files.ts';
import { findPlaces } from './places.ts';
import { startRetention } from './retention.ts';
import { openSchedules } from './schedules/schedules.ts';
import { openSessions } from './sessions/sessions.ts';
import { openSettings } from './settings/open-settings.ts';
import type { DaemonSettings } from './settings/settings.ts';
import { openStore } from './store/sqlite/sqlite-store.ts';
import { openStoreHealth } from './store-health.ts';

export interface DaemonOptions {
  version: string;
  env?: NodeJS.ProcessEnv;
  /** Over what the configuration file says. */
  settings?: Partial<DaemonSettings>;
  /** Ends it. */
  signal: AbortSignal;
  /** With it the agents are ended too; without, their keepers go on until the next daemon. */
  endSessions?: boolean;
  /** Default: the log file, and stderr where that is another file. */
  log?: (line: string) => void;
  onReady?(at: { url: string; pid: number; token: string }): void | Promise<void>;
}

/** One daemon for each state folder: a second one waits for the first to end, and says who it is when that takes too long. */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { env = process.env } = options;
  const places = findPlaces(env);
  await makeFolders(places);
  const file = options.log === undefined ? openDaemonLog(places.log) : undefined;
  const log = options.log ?? file?.write ?? (() => {});
  const stopGuarding = logUncaught(log);
  try {
    await withFileLock(places.record, env, () => work(options, env, log));
  } finally {
    stopGuarding();
    file?.close();
  }
}

/** A failure next to a request must not end all of them: the sessions of this daemon would have no one to answer for them. */
function logUncaught(log: (line: string) => void): () => void {
  const onException = (error: Error) => log(`uncaught: ${describe(error)}`);
  const onRejection = (reason: unknown) => log(`unhandled: ${describe(reason)}`);
  process.on('uncaughtException', onException);
  process.on('unhandledRejection', onRejection);
  return () => {
    process.off('uncaughtException', onException);
    process.off('unhandledRejection', onRejection);
  };
}

async function work(options: DaemonOptions, env: NodeJS.ProcessEnv, log: (line: string) => void): Promise<void> {
  const { version, signal, endSessions = false } = options;
  const places = findPlaces(env);
  const kept = openSettings({ env, home: places.root, fixed: options.settings, log });
  const { settings } = kept;
  await kept.removeLeftovers();
  if (signal.aborted) return;
  const health = openStoreHealth(log);
  const store = await openStore(places.database, {
    now: Date.now,
    report: log,
    wrote: (problem) => health.note('write', problem),
  });
  health.watch(store);
  const token = await keepToken(places.token);
  const clients = keepClients(env, places.root);
  const policy = new PolicyBook({ env });
  const sessions = openSessions({
    store,
    places,
    settings,
    env,
    policy,
    now: Date.now,
    log,
    health,
    clientFor: clients.for,
  });
  const own = { store, service: sessions, env, now: Date.now, log };
  const schedules = openSchedules(own);
  const notifier = openNotifier({ ...own, settings: kept.notify, problems: kept.notifyProblems });
  kept.onChange(() => {
    notifier.configure(kept.notify, kept.notifyProblems);
    sessions.settingsChanged();
  });
  let isAdopted = false;
  const ending = new AbortController();
  const ended = new Promise<void>((resolve) => {
    const end = () => resolve();
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    ending.signal.addEventListener('abort', end, { once: true });
  });
  const api = createApi({
    service: sessions,
    schedules,
    notifications: notifier,
    store,
    places,
    client: clients.own,
    settings: kept,
    policy: { book: policy, env },
    auth: { token },
    clock: Date.now,
    log: (message, detail) => log(detail === undefined ? message : `${message}: ${describe(detail)}`),
    version,
    dashboard: findDashboard(),
    readiness: () => {
      const waitsFor = [...(isAdopted ? [] : ['sessions of the daemon before']), ...sessions.troubles()];
      return { ready: waitsFor.length === 0, waitsFor };
    },
    shutDown: () => ending.abort(),
  });
  const served = await serveSomewhere(api, settings.port);
  let stopKeeping = async () => {};
  try {
    await sessions.adopt();
    isAdopted = true;
    await sessions.listen(hookPlacesIn(stateFolder(env)));
    const record = await writeRecord(places.record, { url: served.url, version, startedAt: Date.now() });
    stopKeeping = keepRecord(places.record, record, log);
    const stopRetention = startRetention({ store, places, settings, remove: sessions.remove, log });
    log(`the daemon ${version} has started at ${served.url} (process ${record.pid})`);
    notifier.start();
    schedules.start();
    await options.onReady?.({ url: served.url, pid: record.pid, token });
    await ended;
    await stopRetention();
  } finally {
    await stopKeeping();
    await removeRecord(places.record);
    await schedules.stop();
    await notifier.stop();
    await sessions.close(endSessions ? 'end' : 'leave');
    await served.close();
    await clients.close();
    health.stop();
    await store.close();
  }
}

/** The port that people know; any other where that is taken. */
async function serveSomewhere(api: Api, port: number): Promise<Served> {
  try {
    return await serve(api, { port });
  } catch (error) {
    if (port === 0 || !isRecord(error) || error.code !== 'EADDRINUSE') throw error;
    return serve(api, { port: 0 });
  }
}

function describe(detail: unknown): string {
  return detail instanceof Error ? (detail.stack ?? detail.message) : String(detail);
}

/** What is known of agents depends on the folder, whose own file may define some, and on whether that is trusted. */
function keepClients(env: NodeJS.ProcessEnv, home: string) {
  const kept = new Map<string, { client: ConfiguredClient; stamp: string }>();
  const open = (cwd: string, trustProject: boolean) =>
    createConfiguredClient({ env, cwd, trustProject, runIndex: false, rules: 'none' });
  const own = open(home, false);
  return {
    own,
    for({ cwd, trustProject }: { cwd: string; trustProject: boolean }): ConfiguredClient {
      const key = `${trustProject} ${cwd}`;
      const stamp = stampOf([userConfigFile(env), projectConfigFile(cwd)]);
      const known = kept.get(key);
      if (known?.stamp === stamp) return known.client;
      // Files change, also those that a configuration names: what was read is not kept for long, and not of many folders.
      if (kept.size >= 32) kept.clear();
      const client = open(cwd, trustProject);
      kept.set(key, { client, stamp });
      setTimeout(() => kept.delete(key), 60_000).unref();
      return client;
    },
    async close() {
      await own.close();
    },
  };
}

/** Another one when a file was written: an agent that was just defined is known to the next session. */
function stampOf(files: readonly (string | undefined)[]): string {
  const stamps = files.map((file) => {
    const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false, bigint: true });
    return found ? `${file} ${found.ino} ${found.size} ${found.mtimeNs}` : '';
  });
  return stamps.join('\n');
}
