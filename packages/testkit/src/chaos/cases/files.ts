import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../drive/api.ts';
import { daemonFolder } from '../drive/daemon-process.ts';
import { findHoldings } from '../drive/inject-fault.ts';
import { type DrivenSession, readEvents, readRow } from '../drive/live-session.ts';
import { isAlive, kill, processesOf } from '../drive/processes.ts';
import type { Stage } from '../drive/stage.ts';
import { waitFor } from '../drive/wait.ts';
import { beginAll, type ChaosCase, finish, onStage, plainSessions } from './case.ts';

/** Failures of the files that keeper and daemon depend on. */
export const fileCases: readonly ChaosCase[] = [
  {
    id: 'torn-journal',
    title: 'a journal truncated in the middle of a line keeps everything before it, and the session reports the loss',
    run: (options) =>
      onStage(plainSessions(2, { agent: 'scripted', pieces: 40, delayMs: 60 }), options, async (stage) => {
        const { world, sessions } = stage;
        await world.startDaemon();
        await beginAll(stage);
        await waitFor('they speak', 20_000, () => sessions.every(({ seen }) => seen.texts > 3));
        const holdings = await findHoldings(world, sessions);
        killDaemon(stage);
        // From here on only the journal has what is written.
        const sizes = sessions.map((session) => journalOf(stage, session).length);
        await waitFor('the journals grow', 10_000, () =>
          sessions.every((session, at) => journalOf(stage, session).length > sizes[at]! + 500),
        );
        for (const { session, keeperPid } of holdings) {
          session.struck.add('keeper');
          if (keeperPid !== null) kill(keeperPid);
        }
        await waitFor('the agents are gone', 5000, () => !holdings.some(({ family }) => family.some(isAlive)));
        const whole = [tearLine(segmentOf(stage, sessions[0]!)), addHalfLine(segmentOf(stage, sessions[1]!))];
        await world.startDaemon();
        for (const [at, session] of sessions.entries()) {
          const events = await readEvents(world, session);
          const lost = events.findIndex(({ type }) => type === 'keeper_lost');
          if (lost < 0) throw new Error(`${session.plan.name}: the loss of its keeper is not reported`);
          if (events[lost - 1]?.seq !== whole[at])
            throw new Error(
              `${session.plan.name}: ${events[lost - 1]?.seq} is the last event before the loss, and ${whole[at]} was the last whole line`,
            );
        }
        await finish(stage);
      }),
  },
  {
    id: 'reused-pid',
    title: 'a pid of a dead keeper or daemon that another process reuses is neither contacted nor killed',
    run: (options) =>
      onStage(plainSessions(2), options, async (stage) => {
        const { world, sessions } = stage;
        await world.startDaemon();
        await beginAll(stage);
        const holdings = await findHoldings(world, sessions);
        killDaemon(stage);
        for (const { session, keeperPid } of holdings) {
          session.struck.add('keeper');
          if (keeperPid !== null) kill(keeperPid);
        }
        const innocent = spawn('sleep', ['600'], {
          stdio: 'ignore',
          detached: true,
          env: { PATH: world.env.PATH ?? '' },
        });
        try {
          const records = [
            join(daemonFolder(world.state), 'daemon.json'),
            ...sessions.map(({ id }) => join(daemonFolder(world.state), 'sessions', id, 'keeper.json')),
          ];
          for (const record of records) {
            if (!existsSync(record)) throw new Error(`${record} is not there`);
            writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, 'utf8')), pid: innocent.pid }));
          }
          await world.startDaemon();
          for (const session of sessions) {
            const row = await readRow(world, session);
            if (row.keeperPid === innocent.pid)
              throw new Error(`${session.plan.name} names a process as its keeper that is not one`);
          }
          await finish(stage);
          if (innocent.exitCode !== null || innocent.signalCode !== null)
            throw new Error('a process was killed that only had the pid of a keeper');
        } finally {
          innocent.kill('SIGKILL');
        }
      }),
  },
  {
    id: 'full-disk',
    title: 'with a full disk agents wait and the error is reported; with free space everything continues without a gap',
    async run(options) {
      const state = join(options.folder, 'state');
      mkdirSync(state, { recursive: true });
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=700', 'tmpfs', state], {
        encoding: 'utf8',
      });
      if (mounted.status !== 0)
        return `left out: a small disk cannot be made here (${mounted.stderr?.trim() ?? mounted.error?.message})`;
      try {
        return await onStage(
          plainSessions(2, { agent: 'scripted', pieces: 120, delayMs: 40 }),
          options,
          async (stage) => {
            const { world, sessions } = stage;
            await world.startDaemon();
            await beginAll(stage);
            await waitFor('they speak', 20_000, () => sessions.every(({ seen }) => seen.texts > 3));
            const holdings = await findHoldings(world, sessions);
            const filler = join(state, 'filler');
            fillUp(filler);
            await sleep(3000);
            const waiting = await troublesOf(stage);
            for (const { session, keeperPid } of holdings) {
              if (keeperPid === null || !processesOf(world.home).some(({ pid }) => pid === keeperPid))
                throw new Error(`the keeper of ${session.plan.name} has died of a full disk`);
            }
            rmSync(filler);
            await finish(stage);
            return waiting;
          },
        );
      } finally {
        spawnSync('umount', ['-l', state]);
      }
    },
  },
];

function killDaemon({ world }: Stage): void {
  const { daemon } = world;
  world.daemon = undefined;
  if (daemon) kill(daemon.pid);
}

function segmentOf({ world }: Stage, { id }: DrivenSession): string {
  const folder = join(daemonFolder(world.state), 'sessions', id, 'journal');
  const last = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .at(-1);
  if (last === undefined) throw new Error(`no journal in ${folder}`);
  return join(folder, last);
}

function journalOf(stage: Stage, session: DrivenSession): Buffer {
  return readFileSync(segmentOf(stage, session));
}

/** Truncates the last line. Returns the seq of the last whole one. */
function tearLine(path: string): number {
  const content = readFileSync(path, 'utf8');
  truncateSync(path, Buffer.byteLength(content) - 9);
  return Number(JSON.parse(content.trimEnd().split('\n').at(-2) ?? '{}').seq);
}

/** Writes the start of another line. */
function addHalfLine(path: string): number {
  const content = readFileSync(path, 'utf8');
  appendFileSync(path, '{"type":"text_delta","delta":"half of a li');
  return Number(JSON.parse(content.trimEnd().split('\n').at(-1) ?? '{}').seq);
}

/** Fills the disk until not a byte is left. */
function fillUp(path: string): void {
  const { bavail, bsize } = statfsSync(join(path, '..'));
  writeFileSync(path, '');
  for (let size = bavail * bsize; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) appendFileSync(path, Buffer.alloc(Math.min(size, 1 << 20)));
    } catch {
      // Smaller pieces may still fit.
    }
  }
}

async function troublesOf({ world }: Stage): Promise<string> {
  try {
    const ready = await call<unknown>(world.daemon!, 'GET', '/ready');
    return `ready while the disk was full: ${JSON.stringify(ready)}`;
  } catch (error) {
    return `while the disk was full: ${error instanceof Error ? error.message : String(error)}`;
  }
}
