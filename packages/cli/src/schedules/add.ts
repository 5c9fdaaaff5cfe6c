import type { NewSchedule } from '@agent-mux/api';
import { type Given, isOn, listFlag } from '../command.ts';
import { newSession } from '../commands/session/new.ts';
import { readNewSession } from '../daemon/new.ts';
import { withDaemon } from '../daemon/open.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printJson, tell } from '../output.ts';
import { parseFlags } from '../parse-flags.ts';
import { inFlags } from '../run/options.ts';
import { paint } from '../screen/paint.ts';
import { untilTime } from '../screen/time.ts';
import { UsageError } from '../usage-error.ts';

interface Wishes {
  missed: string | undefined;
  overlap: string | undefined;
}

export async function addSchedule(given: Given, { missed, overlap }: Wishes): Promise<number> {
  const [cron = '', ...command] = given.words;
  try {
    const wanted: NewSchedule = {
      cron,
      ...(missed === undefined ? {} : { missed: oneOf('--missed', missed, ['run', 'skip'] as const) }),
      ...(overlap === undefined ? {} : { overlap: oneOf('--overlap', overlap, ['skip', 'allow'] as const) }),
      ...(await readCommand(command)),
    };
    return await withDaemon(async (daemon) => {
      const schedule = await daemon.schedules.create(wanted);
      if (isOn(given, 'json')) return printJson<'schedule add'>(schedule);
      print(schedule.id);
      const { dim } = paint(process.stderr);
      if (process.stderr.isTTY && schedule.nextAt !== null) tell(dim(`  runs ${untilTime(schedule.nextAt)}`));
      return EXIT.ok;
    });
  } catch (error) {
    throw inFlags(error);
  }
}

/** `new -a AGENT ...`, by the flags of that very command. */
async function readCommand([name, ...args]: readonly string[]): Promise<Pick<NewSchedule, 'session' | 'envNames'>> {
  const usage = 'amux schedule CRON -- new -a AGENT "..."';
  if (name !== 'new')
    throw new UsageError(`behind -- stands what is to be done, and "${name}" cannot be scheduled`, usage);
  const given = await parseFlags('new', newSession, args);
  for (const flag of ['json', 'help'])
    if (isOn(given, flag)) throw new UsageError(`--${flag} belongs before --`, usage);
  const { env: _, ...flags } = given.flags;
  const { session: wanted, attachments } = await readNewSession({ ...given, flags });
  const { env: __, ...session } = wanted;
  if (attachments.length > 0)
    throw new UsageError('--attach: a schedule keeps no files', 'say in the prompt where the file lies');
  if (session.prompt === undefined) throw new UsageError('a session that begins by itself needs a prompt', usage);
  return { session, envNames: listFlag(given, 'env').map(nameOf) };
}

function nameOf(text: string): string {
  if (!text.includes('=')) return text;
  const name = text.slice(0, text.indexOf('='));
  throw new UsageError(
    `--env ${name}=...: a schedule stores no values`,
    `--env ${name} takes it from the daemon's environment when it runs`,
  );
}

function oneOf<Value extends string>(flag: string, given: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === given);
  if (found !== undefined) return found;
  throw new UsageError(`${flag} is one of ${values.join(', ')}, not "${given}"`);
}
