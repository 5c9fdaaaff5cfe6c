import { messageOf } from '@agent-mux/core/light';
import { type FoundDaemon, findDaemon } from '@agent-mux/daemon/start';
import { EXIT } from '../exit-codes.ts';
import type { DaemonStatus } from '../json/documents.ts';
import { print, printJson, printNote } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { table } from '../screen/table.ts';
import { clockTime } from '../screen/time.ts';
import { formatAge } from '../sessions/format.ts';
import { needsAttention } from './format.ts';
import { withRunningDaemon } from './open.ts';
import { allSessions } from './pages.ts';

export async function showStatus({ json }: { json: boolean }): Promise<number> {
  const found = await findDaemon();
  if (!found) {
    const status: DaemonStatus = {
      running: false,
      pid: null,
      url: null,
      version: null,
      startedAt: null,
      problem: null,
      sessions: null,
    };
    if (json) printJson<'status'>(status);
    else {
      print('The daemon is not running.');
      printNote('commands that need it start it automatically; run "amux up" to start it now');
    }
    return EXIT.failure;
  }
  const status = await statusOf(found);
  if (json) return printJson<'status'>(status);
  printStatus(status);
  return EXIT.ok;
}

export async function statusOf(found: FoundDaemon): Promise<DaemonStatus> {
  const [sessions, problem] = await withRunningDaemon(found, async (daemon) => [
    await allSessions(daemon),
    await daemon.ready().then(() => null, messageOf),
  ]);
  return {
    running: true,
    pid: found.pid,
    url: found.url,
    version: found.version,
    startedAt: found.startedAt,
    problem,
    sessions: {
      total: sessions.length,
      live: sessions.filter(({ keeperPid }) => keeperPid !== null).length,
      working: sessions.filter(({ activity }) => activity === 'active' || activity === 'spawning').length,
      waiting: sessions.filter(needsAttention).length,
    },
  };
}

export function printStatus({ pid, url, version, startedAt, problem, sessions }: DaemonStatus): void {
  const { dim, green, yellow } = paint(process.stdout);
  const rows = [
    ['address', url ?? ''],
    ['process', `${pid}, version ${version}`],
    ...(startedAt === null ? [] : [['since', `${formatAge(startedAt, Date.now())}, at ${clockTime(startedAt)}`]]),
    ...(sessions
      ? [
          [
            'sessions',
            `${sessions.total}: ${sessions.working} working, ${sessions.waiting} need input, ${sessions.live} running`,
          ],
        ]
      : []),
    ...(problem === null ? [] : [['problem', problem]]),
  ];
  print(`${problem === null ? green('●') : yellow('●')} the daemon is running`);
  print(table(rows, (cell, _, column) => (column === 0 ? dim(cell) : cell), { width: Number.POSITIVE_INFINITY }));
}
