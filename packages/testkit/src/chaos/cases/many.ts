import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askDaemon, readRow } from '../drive/live-session.ts';
import { kill } from '../drive/processes.ts';
import type { Stage } from '../drive/stage.ts';
import { waitFor } from '../drive/wait.ts';
import { beginAll, type ChaosCase, finish, onStage, plainSessions } from './case.ts';

const SESSIONS = 1000;
/** Start-up time with a thousand sessions, compared with none. */
const START_RATIO = 2.5;
const STARTS = 3;

/** Shifts the daemon's clock by the offset in a file: a test must not set the machine's clock. */
const SKEWED_CLOCK = `
import { readFileSync } from 'node:fs';
const RealDate = Date;
const skew = () => { try { return Number(readFileSync(process.env.CHAOS_CLOCK_FILE, 'utf8')) || 0; } catch { return 0; } };
class SkewedDate extends RealDate {
  constructor(...given) { if (given.length === 0) super(RealDate.now() + skew()); else super(...given); }
  static now() { return RealDate.now() + skew(); }
}
globalThis.Date = SkewedDate;
`;

/** Effects of time and of numbers. */
export const otherCases: readonly ChaosCase[] = [
  {
    id: 'clock-jumps',
    title: "the daemon's clock jumps by hours, forth and back: nothing is parked, lost or reported twice",
    async run(options) {
      const hook = join(options.folder, 'clock.mjs');
      const skew = join(options.folder, 'skew');
      writeFileSync(hook, SKEWED_CLOCK);
      writeFileSync(skew, '0');
      const { command, args } = options.daemon;
      const daemon = { command: 'env', args: [`CHAOS_CLOCK_FILE=${skew}`, command, '--import', hook, ...args] };
      return onStage(plainSessions(2, { pieces: 40 }), { ...options, daemon }, async (stage) => {
        await stage.world.startDaemon();
        await beginAll(stage);
        for (const hours of [5, -7, 24 * 40, 0]) {
          writeFileSync(skew, String(hours * 3_600_000));
          await sleep(500);
          for (const session of stage.sessions) {
            const { parked, isTerminated } = await readRow(stage.world, session);
            if (parked || isTerminated)
              throw new Error(
                `${session.plan.name} is ${parked ? 'parked' : 'ended'} since the clock jumped by ${hours} hours`,
              );
          }
        }
        await finish(stage);
      });
    },
  },
  {
    id: 'thousand-sessions',
    title: `${SESSIONS} sessions at start-up: all are there, and it takes at most ${START_RATIO} times as long as without any`,
    run: (options) =>
      onStage([], options, async (stage) => {
        const { world } = stage;
        const without = await bestStart(stage);
        const cwd = world.workFolder('all');
        for (let at = 0; at < SESSIONS; at += 50) {
          const bodies = Array.from({ length: 50 }, (_, next) => ({
            agent: 'demo',
            cwd,
            title: `session ${at + next}`,
          }));
          await Promise.all(bodies.map((body) => askDaemon(world, 'POST', '/sessions', body)));
        }
        const withAll = await bestStart(stage);
        const found = await countSessions(stage);
        if (found !== SESSIONS) throw new Error(`${found} of ${SESSIONS} sessions are there`);
        const ratio = withAll / without;
        const said = `ready in ${withAll.toFixed(0)} ms with ${SESSIONS} sessions, ${without.toFixed(0)} ms without (${ratio.toFixed(2)})`;
        if (ratio > START_RATIO) throw new Error(said);
        return said;
      }),
  },
];

/** The fastest of several: the others measure the machine. */
async function bestStart({ world }: Stage): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < STARTS; at += 1) {
    const { daemon } = world;
    world.daemon = undefined;
    if (daemon) {
      kill(daemon.pid);
      await waitFor('it is gone', 5000, () => daemon.child?.signalCode !== null || daemon.child.exitCode !== null);
    }
    times.push((await world.startDaemon()).readyMs);
  }
  return Math.min(...times);
}

async function countSessions({ world }: Stage): Promise<number> {
  const ids = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { sessions: { id: string }[]; nextCursor: string | null } = await askDaemon(
      world,
      'GET',
      `/sessions?limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    for (const { id } of page.sessions) ids.add(id);
    cursor = page.nextCursor;
  }
  return ids.size;
}
