import { statSync } from 'node:fs';
import { type ConfiguredClient, createConfiguredClient } from '@agent-mux/adapters/client';
import { isRecord, PolicyStore, projectConfigFile, stateFolder, userConfigFile, withFileLock } from '@agent-mux/core';
import { openDaemonLog } from './daemon-log.ts';
import { hookPathsIn } from './hooks/spool.ts';
import { ensureToken } from './http/access/token-file.ts';
import { type Api, createApi } from './http/api.ts';
import { findDashboard } from './http/dashboard/dashboard.ts';
import { type RunningServer, serve } from './http/serve.ts';
import { openNotifier } from './notify/notifier.ts';
import { resolveDaemonPaths } from './paths.ts';
import { createPrivateDirs, keepRecord, removeRecord, writeRecord } from './private-files.ts';
import { startRetention } from './retention.ts';
import { openSchedules } from './schedules/schedules.ts';
import { openSessionManager } from './sessions/session-manager.ts';
import { openSettings } from './settings/open-settings.ts';
import type { DaemonSettings } from './settings/settings.ts';
import { openStore } from './store/sqlite/sqlite-store.ts';
import { openStoreHealth } from './store-health.ts';

export interface DaemonOptions {
  version: string;
  env?: NodeJS.ProcessEnv;
  /** Override the configuration file. */
  settings?: Partial<DaemonSettings>;
  /** Stops the daemon. */
  signal: AbortSignal;
  /** Also ends all sessions. By default, their keepers keep running until the next daemon adopts them. */
  endSessions?: boolean;
  /** Default: the log file, and stderr if that is a different file. */
  log?: (line: string) => void;
  onReady?(at: { url: string; pid: number; token: string }): void | Promise<void>;
}

/**
 * Runs the only daemon of a state folder. A second one waits for the first to end, and fails with its pid when that
 * takes too long.
 */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const { env = process.env } = options;
  const paths = resolveDaemonPaths(env);
  await createPrivateDirs(paths);
  const file = options.log === undefined ? openDaemonLog(paths.log) : undefined;
  const log = options.log ?? file?.write ?? (() => {});
  const stopGuarding = logUncaught(log);
  try {
    await withFileLock(paths.record, env, () => run(options, env, log));
  } finally {
    stopGuarding();
    file?.close();
  }
}

/** Logs uncaught errors instead of exiting: one failure must not take down all sessions of this daemon. */
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

async function run(options: DaemonOptions, env: NodeJS.ProcessEnv, log: (line: string) => void): Promise<void> {
  const { version, signal, endSessions = false } = options;
  const paths = resolveDaemonPaths(env);
  const openedSettings = openSettings({ env, home: paths.root, fixed: options.settings, log });
  const { settings } = openedSettings;
  await openedSettings.removeLeftovers();
  if (signal.aborted) return;
  const health = openStoreHealth(log);
  const store = await openStore(paths.database, {
    now: Date.now,
    report: log,
    wrote: (problem) => health.note('write', problem),
  });
  health.watch(store);
  const token = await ensureToken(paths.token);
  const clients = createClientCache(env, paths.root);
  const policy = new PolicyStore({ env });
  const sessions = openSessionManager({
    store,
    paths,
    settings,
    env,
    policy,
    now: Date.now,
    log,
    health,
    clientFor: clients.for,
  });
  const shared = { store, service: sessions, env, now: Date.now, log };
  const schedules = openSchedules(shared);
  const notifier = openNotifier({
    ...shared,
    settings: openedSettings.notify,
    problems: openedSettings.notifyProblems,
  });
  openedSettings.onChange(() => {
    notifier.configure(openedSettings.notify, openedSettings.notifyProblems);
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
    paths,
    client: clients.shared,
    settings: openedSettings,
    policy: { book: policy, env },
    auth: { token },
    clock: Date.now,
    log: (message, detail) => log(detail === undefined ? message : `${message}: ${describe(detail)}`),
    version,
    dashboard: findDashboard(),
    readiness: () => {
      const waitingFor = [...(isAdopted ? [] : ['adopting sessions of the previous daemon']), ...sessions.problems()];
      return { ready: waitingFor.length === 0, waitingFor };
    },
    shutdown: () => ending.abort(),
  });
  const served = await serveOnFreePort(api, settings.port);
  let stopRestoring = async () => {};
  try {
    await sessions.adopt();
    isAdopted = true;
    await sessions.followHooks(hookPathsIn(stateFolder(env)));
    const record = await writeRecord(paths.record, { url: served.url, version, startedAt: Date.now() });
    stopRestoring = keepRecord(paths.record, record, log);
    const stopRetention = startRetention({ store, paths, settings, remove: sessions.remove, log });
    log(`daemon ${version} started at ${served.url} (pid ${record.pid})`);
    notifier.start();
    schedules.start();
    await options.onReady?.({ url: served.url, pid: record.pid, token });
    await ended;
    await stopRetention();
  } finally {
    await stopRestoring();
    await removeRecord(paths.record);
    await schedules.stop();
    await notifier.stop();
    await sessions.close(endSessions ? 'end' : 'leave');
    await served.close();
    await clients.close();
    health.stop();
    await store.close();
  }
}

/** Serves on the configured port, or on any free port if that is taken. */
async function serveOnFreePort(api: Api, port: number): Promise<RunningServer> {
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

/** Caches one client per folder and trust: a project's configuration file may define agents. */
function createClientCache(env: NodeJS.ProcessEnv, home: string) {
  const cached = new Map<string, { client: ConfiguredClient; stamp: string }>();
  const open = (cwd: string, trustProject: boolean) =>
    createConfiguredClient({ env, cwd, trustProject, runIndex: false, rules: 'none' });
  const shared = open(home, false);
  return {
    shared,
    for({ cwd, trustProject }: { cwd: string; trustProject: boolean }): ConfiguredClient {
      const key = `${trustProject} ${cwd}`;
      const stamp = stampOf([userConfigFile(env), projectConfigFile(cwd)]);
      const known = cached.get(key);
      if (known?.stamp === stamp) return known.client;
      // Files change, including those a configuration refers to, so the cache is small and short-lived.
      if (cached.size >= 32) cached.clear();
      const client = open(cwd, trustProject);
      cached.set(key, { client, stamp });
      setTimeout(() => cached.delete(key), 60_000).unref();
      return client;
    },
    async close() {
      await shared.close();
    },
  };
}

/** Changes when a file is written, so that the next session knows a newly defined agent. */
function stampOf(files: readonly (string | undefined)[]): string {
  const stamps = files.map((file) => {
    const found = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false, bigint: true });
    return found ? `${file} ${found.ino} ${found.size} ${found.mtimeNs}` : '';
  });
  return stamps.join('\n');
}
