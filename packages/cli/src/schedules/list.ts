import type { Schedule, ScheduleRun } from '@agent-mux/api';
import { hasFlag, type ParsedArgs } from '../command.ts';
import { shortFolder } from '../daemon/format.ts';
import { withDaemon } from '../daemon/open.ts';
import { addHead, print, printJson, printNote } from '../output.ts';
import { type Paint, paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { table } from '../screen/table.ts';
import { clockTime, untilTime } from '../screen/time.ts';
import { formatAge } from '../sessions/format.ts';

const LOOKS: Readonly<Record<ScheduleRun['state'], [word: string, color: keyof Paint]>> = {
  starting: ['◌ starting', 'cyan'],
  started: ['● running', 'green'],
  completed: ['○ completed', 'dim'],
  failed: ['✗ failed', 'red'],
  skipped: ['□ skipped', 'yellow'],
};
const LAST = 5;

export async function listSchedules(args: ParsedArgs): Promise<number> {
  return withDaemon(async (daemon) => {
    const schedules = await daemon.schedules.list();
    if (hasFlag(args, 'json')) return printJson<'schedule list'>({ schedules });
    if (schedules.length === 0) {
      print('No schedules.');
      return printNote('run "amux schedule CRON -- new -a AGENT ..." to add one');
    }
    return print(scheduleTable(schedules));
  });
}

export function scheduleTable(schedules: readonly Schedule[]): string {
  const style = paint(process.stdout);
  const now = Date.now();
  const head = ['ID', 'CRON', 'AGENT', 'TASK', 'NEXT', 'LAST'];
  const rows = schedules.map((each) => [
    each.id,
    each.cron,
    each.session.agent,
    taskOf(each),
    formatNextRun(each, now),
    each.lastRun ? `${LOOKS[each.lastRun.state][0]}, ${formatAge(each.lastRun.startedAt, now)}` : '',
  ]);
  return addHead(
    [head, ...rows],
    (cell, row, column) => {
      const last = schedules[row - 1]?.lastRun;
      if (column === 0) return style.cyan(cell);
      return column === LAST && last ? style[LOOKS[last.state][1]](cell) : cell;
    },
    { keep: [0, 1, 2] },
  );
}

export async function showSchedule(args: ParsedArgs): Promise<number> {
  return withDaemon(async (daemon) => {
    const schedule = await daemon.schedules.get(args.positionals[0] ?? '');
    if (hasFlag(args, 'json')) return printJson<'schedule show'>(schedule);
    const style = paint(process.stdout);
    const { session, envNames } = schedule;
    print(`${style.bold(schedule.cron)}  ${taskOf(schedule)}`);
    const facts: [string, string][] = [
      ['id', schedule.id],
      ['agent', session.agent],
      ['folder', shortFolder(session.cwd, process.env.HOME, 200)],
      ['next', formatNextRun(schedule, Date.now())],
      ['missed runs', schedule.missed === 'run' ? 'run once' : 'skipped'],
      ['overlap', schedule.overlap === 'allow' ? 'allowed' : 'skipped while the previous session runs'],
      ['variables', envNames.join(', ')],
      ['created', `${formatAge(schedule.createdAt, Date.now())} ago by ${schedule.by}`],
    ];
    const wide = { keep: [0, 1], width: Number.POSITIVE_INFINITY };
    const shown = facts.filter(([, value]) => value !== '').map(([name, value]) => [name, toOneLine(value, 500)]);
    print(table(shown, (cell, _, column) => (column === 0 ? style.dim(cell) : cell), wide));
    if (schedule.runs.length === 0) return print('No runs yet.');
    print(`\n${style.bold('Runs')}`);
    const rows = schedule.runs.map((run) => [
      clockTime(run.dueAt),
      LOOKS[run.state][0],
      run.sessionId ?? '',
      toOneLine(run.error?.message ?? '', 300),
    ]);
    return print(
      table(rows, (cell, row, column) => {
        const run = schedule.runs[row];
        return column === 1 && run ? style[LOOKS[run.state][1]](cell) : cell;
      }),
    );
  });
}

function taskOf({ session }: Pick<Schedule, 'session'>): string {
  return toOneLine(session.title ?? session.prompt ?? '', 200);
}

function formatNextRun({ paused, nextRunAt }: Pick<Schedule, 'paused' | 'nextRunAt'>, now: number): string {
  if (paused) return 'paused';
  return nextRunAt === null ? 'never' : untilTime(nextRunAt, now);
}
