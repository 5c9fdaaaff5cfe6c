import type { Schedule } from '@agent-mux/api';
import { hasFlag, type ParsedArgs } from '../command.ts';
import { withDaemon } from '../daemon/open.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printInfo, printJson } from '../output.ts';
import { untilTime } from '../screen/time.ts';
import { scheduleTable } from './list.ts';

export async function setPaused(args: ParsedArgs, paused: boolean): Promise<number> {
  return withDaemon(async (daemon) => {
    const schedule = await daemon.schedules.update(args.positionals[0] ?? '', { paused });
    if (hasFlag(args, 'json')) return printJson<'schedule pause' | 'schedule resume'>(schedule);
    const next = schedule.nextRunAt === null ? '' : ` ${untilTime(schedule.nextRunAt)}`;
    return print(paused ? `${schedule.id} paused.` : `${schedule.id} resumed; next run${next}.`);
  });
}

export async function runNow(args: ParsedArgs): Promise<number> {
  return withDaemon(async (daemon) => {
    const run = await daemon.schedules.run(args.positionals[0] ?? '');
    const isFine = run.state !== 'failed';
    if (hasFlag(args, 'json')) printJson<'schedule run'>(run);
    else if (isFine) print(run.sessionId ?? run.id);
    else
      printInfo(
        `The session could not be started: ${run.error?.message ?? ''}${run.error?.hint ? `\n${run.error.hint}` : ''}`,
      );
    return isFine ? EXIT.ok : EXIT.failure;
  });
}

/** Asks for confirmation on a terminal only. */
export async function removeSchedules(args: ParsedArgs, { yes }: { yes: boolean }): Promise<number> {
  return withDaemon(async (daemon) => {
    const schedules: Schedule[] = [];
    for (const id of new Set(args.positionals)) {
      const { runs: _, ...schedule } = await daemon.schedules.get(id);
      schedules.push(schedule);
    }
    if (!yes && !hasFlag(args, 'json') && !(await askAgreement(schedules))) {
      printInfo('nothing was removed');
      return EXIT.failure;
    }
    for (const { id } of schedules) await daemon.schedules.remove(id);
    if (hasFlag(args, 'json')) return printJson<'schedule remove'>({ schedules });
    return print(schedules.length === 1 ? 'Schedule removed.' : `${schedules.length} schedules removed.`);
  });
}

async function askAgreement(schedules: readonly Schedule[]): Promise<boolean> {
  if (!process.stdin.isTTY) return true;
  const { openTerminal } = await import('../run/terminal/terminal.ts');
  const { paint } = await import('../screen/paint.ts');
  const terminal = openTerminal();
  if (!terminal) return true;
  try {
    printInfo(scheduleTable(schedules));
    const what = schedules.length === 1 ? 'this schedule' : `these ${schedules.length} schedules`;
    const answer = await terminal.ask(paint(process.stderr).bold(`Remove ${what}? [y/N] `));
    return /^y(es)?$/i.test(answer?.trim() ?? '');
  } finally {
    terminal.close();
  }
}
