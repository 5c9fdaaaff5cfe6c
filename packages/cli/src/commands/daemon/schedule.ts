import { commandOfActions } from '../../actions.ts';
import { type Command, isOn, JSON_FLAG, textFlag } from '../../command.ts';

const actions = commandOfActions({
  name: 'schedule',
  about:
    'Sessions that begin by themselves, while the daemon runs: what stands behind -- is what amux new takes. The time is that\n' +
    'of this machine, in the five fields of cron: minute, hour, day of the month, month, day of the week.',
  flags: {
    missed: {
      type: 'string',
      value: 'run|skip',
      values: ['run', 'skip'],
      help: 'What was due while the daemon was off: run it once when it is back, or not (skip, the default).',
    },
    overlap: {
      type: 'string',
      value: 'skip|allow',
      values: ['skip', 'allow'],
      help: 'While the session before is still at work: leave it out (skip, the default), or begin another.',
    },
    yes: { type: 'boolean', short: 'y', help: 'Do not ask.' },
    json: JSON_FLAG,
  },
  actions: {
    add: {
      usage: 'CRON [--missed run|skip] [--overlap skip|allow] -- new -a AGENT [flags] PROMPT...',
      about: 'makes one; "add" may be left out',
      minWords: 2,
      maxWords: Number.POSITIVE_INFINITY,
      flags: ['missed', 'overlap'],
      async run(given) {
        const { addSchedule } = await import('../../schedules/add.ts');
        return addSchedule(given, { missed: textFlag(given, 'missed'), overlap: textFlag(given, 'overlap') });
      },
    },
    list: {
      usage: '',
      about: 'all of them, the next to run first, and how the last run went',
      maxWords: 0,
      flags: [],
      async run(given) {
        const { listSchedules } = await import('../../schedules/list.ts');
        return listSchedules(given);
      },
    },
    show: {
      usage: 'SCHEDULE',
      about: 'what it does, when it runs next, and what became of its runs',
      minWords: 1,
      maxWords: 1,
      flags: [],
      async run(given) {
        const { showSchedule } = await import('../../schedules/list.ts');
        return showSchedule(given);
      },
    },
    pause: {
      usage: 'SCHEDULE',
      about: 'it does not run until it is resumed',
      minWords: 1,
      maxWords: 1,
      flags: [],
      async run(given) {
        const { setPaused } = await import('../../schedules/change.ts');
        return setPaused(given, true);
      },
    },
    resume: {
      usage: 'SCHEDULE',
      about: 'it runs again; what was due meanwhile is not made up for',
      minWords: 1,
      maxWords: 1,
      flags: [],
      async run(given) {
        const { setPaused } = await import('../../schedules/change.ts');
        return setPaused(given, false);
      },
    },
    run: {
      usage: 'SCHEDULE',
      about: 'now, whatever the clock says; prints the id of the session',
      minWords: 1,
      maxWords: 1,
      flags: [],
      async run(given) {
        const { runNow } = await import('../../schedules/change.ts');
        return runNow(given);
      },
    },
    rm: {
      usage: 'SCHEDULE... [--yes]',
      about: 'removes it; the sessions that it began stay',
      minWords: 1,
      maxWords: Number.POSITIVE_INFINITY,
      flags: ['yes'],
      async run(given) {
        const { removeSchedules } = await import('../../schedules/change.ts');
        return removeSchedules(given, { yes: isOn(given, 'yes') });
      },
    },
  },
  otherwise: 'list',
  examples: [
    {
      command: 'amux schedule "0 7 * * 1-5" -- new -a claude "what broke last night?"',
      about: 'every working day at 7',
    },
    {
      command: 'amux schedule "30 9 1 * *" --missed run -- new -a codex --worktree -C ~/src/app "update the libraries"',
      about: 'every month, later where the machine was off',
    },
    { command: 'amux schedule list', about: 'what there is, and what runs next' },
    { command: 'amux schedule show t4qp', about: 'a beginning of the id is enough' },
    { command: 'amux schedule pause t4qp', about: 'not for now' },
    { command: `amux schedule show t4qp --json | jq -r '.runs[0].sessionId'`, about: 'the session of its last run' },
  ],
  notes: [
    'Fields take numbers, names (mon, jan), lists (1,15), ranges (1-5) and steps (*/10, 8-18/2). Where both kinds of days are',
    "limited, either is enough. --env NAME behind -- passes a variable of the daemon's own environment on; values are not",
    'stored. docs/schedules.md says what happens when clocks change and machines sleep.',
  ],
});

/** A first word that has the form of a time means `add`. */
export const schedule: Command = {
  ...actions,
  usage: 'amux schedule CRON [flags] -- new ... | list | show | pause | resume | run | rm',
  run(given) {
    const [first = ''] = given.words;
    return actions.run(/\s/.test(first) ? { ...given, words: ['add', ...given.words] } : given);
  },
};
