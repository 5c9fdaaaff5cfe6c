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
import { type DrivenSession, readEvents, readRow } from '../drive/live-session.ts';
import { isAlive, kill, processesOf } from '../drive/processes.ts';
import type { Stage } from '../drive/stage.ts';
import { findHoldings } from '../drive/strike.ts';
import { waitFor } from '../drive/wait.ts';
import { beginAll, type ChaosCase, finish, onStage, plainSessions } from './case.ts';

/** What can happen to the files that keeper and daemon live by. */
export const fileCases: readonly ChaosCase[] = [
  {
    id: 'torn-journal',
    title: 'a journal that was cut in the middle of a line: all before it is kept, and the session says what it is',
    run: (options) =>
      onStage(plainSessions(2, { agent: 'scripted', pieces: 40, delayMs: 60 }), options, async (stage) => {
        const { world, sessions } = stage;
        await world.startDaemon();
        await beginAll(stage);
        await waitFor('they speak', 20_000, () => sessions.every(({ seen }) => seen.texts > 3));
        const holdings = await findHoldings(world, sessions);
        killDaemon(stage);
        // What is written now only the journal has.
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
          if (lost < 0) throw new Error(`${session.plan.name}: it is not told that its keeper was lost`);
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
    title: 'the pid of a dead keeper and a dead daemon belongs to somebody else: nobody talks to it, nobody kills it',
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
              throw new Error(`${session.plan.name} is said to be held by a process that is nobody's keeper`);
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
    title: 'no room for journal and store: agents wait, it is told, and with room again all goes on without a gap',
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
  if (last === undefined) throw new Error(`there is no journal in ${folder}`);
  return join(folder, last);
}

function journalOf(stage: Stage, session: DrivenSession): Buffer {
  return readFileSync(segmentOf(stage, session));
}

/** The end of the last line is lost. Returns the seq of the last whole one. */
function tearLine(path: string): number {
  const content = readFileSync(path, 'utf8');
  truncateSync(path, Buffer.byteLength(content) - 9);
  return Number(JSON.parse(content.trimEnd().split('\n').at(-2) ?? '{}').seq);
}

/** The beginning of another line was written. */
function addHalfLine(path: string): number {
  const content = readFileSync(path, 'utf8');
  appendFileSync(path, '{"type":"text_delta","delta":"half of a li');
  return Number(JSON.parse(content.trimEnd().split('\n').at(-1) ?? '{}').seq);
}

/** Until not a byte is left. */
function fillUp(path: string): void {
  const { bavail, bsize } = statfsSync(join(path, '..'));
  writeFileSync(path, '');
  for (let size = bavail * bsize; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) appendFileSync(path, Buffer.alloc(Math.min(size, 1 << 20)));
    } catch {
      // Smaller pieces may still have room.
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
