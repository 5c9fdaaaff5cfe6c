import type { Schedule } from '@agent-mux/api';
import { type Given, isOn } from '../command.ts';
import { withDaemon } from '../daemon/open.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printJson, tell } from '../output.ts';
import { untilTime } from '../screen/time.ts';
import { scheduleTable } from './list.ts';

export async function setPaused(given: Given, paused: boolean): Promise<number> {
  return withDaemon(async (daemon) => {
    const schedule = await daemon.schedules.change(given.words[0] ?? '', { paused });
    if (isOn(given, 'json')) return printJson<'schedule pause' | 'schedule resume'>(schedule);
    const next = schedule.nextAt === null ? '' : ` ${untilTime(schedule.nextAt)}`;
    return print(paused ? `${schedule.id} is paused.` : `${schedule.id} runs again${next}.`);
  });
}

export async function runNow(given: Given): Promise<number> {
  return withDaemon(async (daemon) => {
    const run = await daemon.schedules.run(given.words[0] ?? '');
    const isFine = run.state !== 'failed';
    if (isOn(given, 'json')) printJson<'schedule run'>(run);
    else if (isFine) print(run.sessionId ?? run.id);
    else tell(`It could not be begun: ${run.error?.message ?? ''}${run.error?.hint ? `\n${run.error.hint}` : ''}`);
    return isFine ? EXIT.ok : EXIT.failure;
  });
}

/** Asks where somebody is there; a program has said what it wants. */
export async function removeSchedules(given: Given, { yes }: { yes: boolean }): Promise<number> {
  return withDaemon(async (daemon) => {
    const schedules: Schedule[] = [];
    for (const id of new Set(given.words)) {
      const { runs: _, ...schedule } = await daemon.schedules.get(id);
      schedules.push(schedule);
    }
    if (!yes && !isOn(given, 'json') && !(await askAgreement(schedules))) {
      tell('nothing was removed');
      return EXIT.failure;
    }
    for (const { id } of schedules) await daemon.schedules.remove(id);
    if (isOn(given, 'json')) return printJson<'schedule rm'>({ schedules });
    return print(schedules.length === 1 ? 'The schedule is removed.' : `${schedules.length} schedules are removed.`);
  });
}

async function askAgreement(schedules: readonly Schedule[]): Promise<boolean> {
  if (!process.stdin.isTTY) return true;
  const { openTerminal } = await import('../run/terminal/terminal.ts');
  const { paint } = await import('../screen/paint.ts');
  const terminal = openTerminal();
  if (!terminal) return true;
  try {
    tell(scheduleTable(schedules));
    const what = schedules.length === 1 ? 'this schedule' : `these ${schedules.length} schedules`;
    const answer = await terminal.ask(paint(process.stderr).bold(`Remove ${what}? [y/N] `));
    return /^y(es)?$/i.test(answer?.trim() ?? '');
  } finally {
    terminal.close();
  }
}
