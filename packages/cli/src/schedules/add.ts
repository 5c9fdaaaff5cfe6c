import type { NewSchedule } from '@agent-mux/api';
import { hasFlag, listFlag, type ParsedArgs } from '../command.ts';
import { newSession } from '../commands/session/new.ts';
import { readNewSession } from '../daemon/new.ts';
import { withDaemon } from '../daemon/open.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printInfo, printJson } from '../output.ts';
import { parseFlags } from '../parse-flags.ts';
import { inFlags } from '../run/options.ts';
import { paint } from '../screen/paint.ts';
import { untilTime } from '../screen/time.ts';
import { UsageError } from '../usage-error.ts';

interface ScheduleFlags {
  missed: string | undefined;
  overlap: string | undefined;
}

export async function addSchedule(args: ParsedArgs, { missed, overlap }: ScheduleFlags): Promise<number> {
  const [cron = '', ...command] = args.positionals;
  try {
    const wanted: NewSchedule = {
      cron,
      ...(missed === undefined ? {} : { missed: oneOf('--missed', missed, ['run', 'skip'] as const) }),
      ...(overlap === undefined ? {} : { overlap: oneOf('--overlap', overlap, ['skip', 'allow'] as const) }),
      ...(await readCommand(command)),
    };
    return await withDaemon(async (daemon) => {
      const schedule = await daemon.schedules.create(wanted);
      if (hasFlag(args, 'json')) return printJson<'schedule add'>(schedule);
      print(schedule.id);
      const { dim } = paint(process.stderr);
      if (process.stderr.isTTY && schedule.nextRunAt !== null)
        printInfo(dim(`  next run ${untilTime(schedule.nextRunAt)}`));
      return EXIT.ok;
    });
  } catch (error) {
    throw inFlags(error);
  }
}

/** Parses `new -a AGENT ...` with the flags of `amux new`. */
async function readCommand([name, ...rest]: readonly string[]): Promise<Pick<NewSchedule, 'session' | 'envNames'>> {
  const usage = 'usage: amux schedule CRON -- new -a AGENT "..."';
  if (name !== 'new') throw new UsageError(`expected "new" after --: "${name}" cannot be scheduled`, usage);
  const args = await parseFlags('new', newSession, rest);
  for (const flag of ['json', 'help'])
    if (hasFlag(args, flag)) throw new UsageError(`--${flag} must come before --`, usage);
  const { env: _, ...flags } = args.flags;
  const { session: wanted, attachments } = await readNewSession({ ...args, flags });
  const { env: __, ...session } = wanted;
  if (attachments.length > 0)
    throw new UsageError('--attach: schedules cannot store files', 'name the file in the prompt instead');
  if (session.prompt === undefined) throw new UsageError('a scheduled session needs a prompt', usage);
  return { session, envNames: listFlag(args, 'env').map(nameOf) };
}

function nameOf(text: string): string {
  if (!text.includes('=')) return text;
  const name = text.slice(0, text.indexOf('='));
  throw new UsageError(
    `--env ${name}=...: schedules do not store values`,
    `use --env ${name} to pass it from the daemon's environment`,
  );
}

function oneOf<Value extends string>(flag: string, text: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === text);
  if (found !== undefined) return found;
  throw new UsageError(`${flag}: invalid value "${text}"`, `use one of ${values.join(', ')}`);
}
