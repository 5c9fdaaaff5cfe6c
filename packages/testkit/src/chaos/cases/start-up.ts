import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { daemonFolder, readRecord, spawnDaemon, tailOf } from '../drive/daemon-process.ts';
import { kill } from '../drive/processes.ts';
import type { Stage } from '../drive/stage.ts';
import { waitFor } from '../drive/wait.ts';
import { beginAll, type ChaosCase, finish, onStage, plainSessions } from './case.ts';

/** From the start of the process until it serves. */
const MOMENTS_MS = [10, 60, 120, 200, 300, 450, 700];

/** Failures of a starting daemon. */
export const startUpCases: readonly ChaosCase[] = [
  {
    id: 'sigterm-at-start',
    title: 'SIGTERM in the middle of start-up: it exits, leaves nothing, and sessions continue',
    run: (options) =>
      onStage(plainSessions(2), options, async (stage) => {
        const { world } = stage;
        await world.startDaemon();
        await beginAll(stage);
        for (const ms of MOMENTS_MS) {
          const { daemon } = world;
          world.daemon = undefined;
          if (daemon) kill(daemon.pid);
          const child = spawnDaemon(options.daemon, world.env, world.log);
          const gone = new Promise<string>((resolve) =>
            child.once('exit', (code, signal) => resolve(String(signal ?? code))),
          );
          await sleep(ms);
          child.kill('SIGTERM');
          const ended = await Promise.race([gone, sleep(15_000, 'it is still there')]);
          if (ended !== '0' && ended !== 'SIGTERM')
            throw new Error(`a daemon that got SIGTERM after ${ms} ms: ${ended}; ${tailOf(world.log)}`);
          const record = readRecord(world.state, child.pid);
          if (record) throw new Error(`a daemon that left after ${ms} ms says that it is there`);
        }
        await world.startDaemon();
        await finish(stage);
      }),
  },
  {
    id: 'two-daemons',
    title: 'four daemons at once: one serves, and after its kill sessions continue with another',
    run: (options) =>
      onStage(plainSessions(2), options, async (stage) => {
        const { world } = stage;
        const children = Array.from({ length: 4 }, () => spawnDaemon(options.daemon, world.env, world.log));
        const first = await waitFor('one of them serves', 30_000, () => readRecord(world.state));
        world.daemon = { ...first, child: children.find(({ pid }) => pid === first.pid)!, readyMs: 0 };
        await beginAll(stage);
        const now = readRecord(world.state);
        if (now?.pid !== first.pid) throw new Error(`${first.pid} served, and then ${now?.pid}`);
        world.daemon = undefined;
        kill(first.pid);
        // One that has waited replaces it; if all have exited, the next client starts one.
        const next = await waitFor('another serves', 15_000, () => {
          const record = readRecord(world.state);
          if (record && record.pid !== first.pid) return record;
          return children.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)
            ? 'none'
            : undefined;
        });
        if (next === 'none') await world.startDaemon();
        else world.daemon = { ...next, child: children.find(({ pid }) => pid === next.pid)!, readyMs: 0 };
        await finish(stage);
        for (const child of children) if (child.pid !== world.daemon?.pid) child.kill('SIGKILL');
        return next === 'none' ? 'the others had left' : 'one that had waited took its place';
      }),
  },
  {
    id: 'newer-database',
    title: 'a database of a newer version is refused with a clear message and left unchanged',
    run: (options) =>
      onStage(plainSessions(1), options, async (stage) => {
        const { world } = stage;
        await world.startDaemon();
        await beginAll(stage);
        await stage.settle();
        const database = join(daemonFolder(world.state), 'store.sqlite');
        await endGently(stage);
        const version = await setVersion(database, 9999);
        const before = readFileSync(database);
        const child = spawnDaemon(options.daemon, world.env, world.log);
        const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
        if (code === 0) throw new Error('a daemon of today works with a database of tomorrow');
        if (!/newer|version 9999/i.test(tailOf(world.log)))
          throw new Error(`it does not say why: ${tailOf(world.log)}`);
        if (!readFileSync(database).equals(before)) throw new Error('the database of tomorrow was changed');
        if (existsSync(join(daemonFolder(world.state), 'daemon.json'))) throw new Error('it says that it is there');
        await setVersion(database, version);
        await world.startDaemon();
        await finish(stage);
      }),
  },
];

/** As `amux down` does it: keepers continue. */
async function endGently({ world }: Stage): Promise<void> {
  const { daemon } = world;
  if (!daemon) return;
  const gone = new Promise((resolve) => daemon.child?.once('exit', resolve));
  world.daemon = undefined;
  daemon.child?.kill('SIGTERM');
  await Promise.race([gone, sleep(15_000).then(() => Promise.reject(new Error('the daemon does not end')))]);
}

/** Returns the previous one. */
async function setVersion(database: string, version: number): Promise<number> {
  const { DatabaseSync } = await import('node:sqlite');
  const db = new DatabaseSync(database);
  try {
    const before = Number(db.prepare('PRAGMA user_version').get()?.user_version);
    db.exec(`PRAGMA user_version = ${version}`);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return before;
  } finally {
    db.close();
  }
}
