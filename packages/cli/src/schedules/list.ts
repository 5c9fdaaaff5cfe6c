import type { Schedule, ScheduleRun } from '@agent-mux/api';
import { type Given, isOn } from '../command.ts';
import { withDaemon } from '../daemon/open.ts';
import { shortFolder } from '../daemon/words.ts';
import { addHead, print, printJson, printNote } from '../output.ts';
import { type Paint, paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { table } from '../screen/table.ts';
import { clockTime, untilTime } from '../screen/time.ts';
import { age } from '../sessions/words.ts';

const LOOKS: Readonly<Record<ScheduleRun['state'], [word: string, colour: keyof Paint]>> = {
  starting: ['◌ starting', 'cyan'],
  started: ['● at work', 'green'],
  done: ['○ done', 'dim'],
  failed: ['✗ failed', 'red'],
  skipped: ['□ left out', 'yellow'],
};
const LAST = 5;

export async function listSchedules(given: Given): Promise<number> {
  return withDaemon(async (daemon) => {
    const schedules = await daemon.schedules.list();
    if (isOn(given, 'json')) return printJson<'schedule list'>({ schedules });
    if (schedules.length === 0) {
      print('No schedules.');
      return printNote('amux schedule "0 7 * * 1-5" -- new -a AGENT "..." makes one');
    }
    return print(scheduleTable(schedules));
  });
}

export function scheduleTable(schedules: readonly Schedule[]): string {
  const style = paint(process.stdout);
  const now = Date.now();
  const head = ['ID', 'WHEN', 'AGENT', 'WHAT', 'NEXT', 'LAST'];
  const rows = schedules.map((each) => [
    each.id,
    each.cron,
    each.session.agent,
    taskOf(each),
    nextWords(each, now),
    each.lastRun ? `${LOOKS[each.lastRun.state][0]}, ${age(each.lastRun.startedAt, now)}` : '',
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

export async function showSchedule(given: Given): Promise<number> {
  return withDaemon(async (daemon) => {
    const schedule = await daemon.schedules.get(given.words[0] ?? '');
    if (isOn(given, 'json')) return printJson<'schedule show'>(schedule);
    const style = paint(process.stdout);
    const { session, envNames } = schedule;
    print(`${style.bold(schedule.cron)}  ${taskOf(schedule)}`);
    const facts: [string, string][] = [
      ['id', schedule.id],
      ['agent', session.agent],
      ['folder', shortFolder(session.cwd, process.env.HOME, 200)],
      ['next', nextWords(schedule, Date.now())],
      ['missed', schedule.missed === 'run' ? 'what was missed is run once' : 'what was missed is left out'],
      ['overlap', schedule.overlap === 'allow' ? 'may overlap' : 'left out while the one before is at work'],
      ['variables', envNames.join(', ')],
      ['made', `${age(schedule.createdAt, Date.now())} ago by ${schedule.by}`],
    ];
    const wide = { keep: [0, 1], width: Number.POSITIVE_INFINITY };
    const told = facts.filter(([, value]) => value !== '').map(([name, value]) => [name, toOneLine(value, 500)]);
    print(table(told, (cell, _, column) => (column === 0 ? style.dim(cell) : cell), wide));
    if (schedule.runs.length === 0) return print('It has not run yet.');
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

function nextWords({ paused, nextAt }: Pick<Schedule, 'paused' | 'nextAt'>, now: number): string {
  if (paused) return 'paused';
  return nextAt === null ? 'never' : untilTime(nextAt, now);
}
