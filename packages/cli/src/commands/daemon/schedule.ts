import { type Command, hasFlag, JSON_FLAG, stringFlag } from '../../command.ts';
import { defineSubcommands } from '../../subcommands.ts';

const actions = defineSubcommands({
  name: 'schedule',
  description:
    "Starts sessions on a schedule while the daemon runs. CRON has five fields, in the machine's time\n" +
    'zone: minute, hour, day of month, month, day of week. Arguments after -- are those of "amux\n' +
    'new".',
  flags: {
    missed: {
      type: 'string',
      value: 'run|skip',
      values: ['run', 'skip'],
      help: 'Runs missed while the daemon was down: run once or skip (default skip)',
    },
    overlap: {
      type: 'string',
      value: 'skip|allow',
      values: ['skip', 'allow'],
      help: 'If the previous session still runs: skip or start another (default skip)',
    },
    yes: { type: 'boolean', short: 'y', help: 'Do not ask for confirmation' },
    json: JSON_FLAG,
  },
  actions: {
    add: {
      usage: 'CRON [--missed run|skip] [--overlap skip|allow] -- new -a AGENT [flags] PROMPT...',
      about: 'Add a schedule; "add" can be omitted',
      minArgs: 2,
      maxArgs: Number.POSITIVE_INFINITY,
      flags: ['missed', 'overlap'],
      async run(options) {
        const { addSchedule } = await import('../../schedules/add.ts');
        return addSchedule(options, { missed: stringFlag(options, 'missed'), overlap: stringFlag(options, 'overlap') });
      },
    },
    list: {
      usage: '',
      about: 'List schedules, next run first',
      maxArgs: 0,
      flags: [],
      async run(options) {
        const { listSchedules } = await import('../../schedules/list.ts');
        return listSchedules(options);
      },
    },
    show: {
      usage: 'SCHEDULE',
      about: 'Show a schedule and its recent runs',
      minArgs: 1,
      maxArgs: 1,
      flags: [],
      async run(options) {
        const { showSchedule } = await import('../../schedules/list.ts');
        return showSchedule(options);
      },
    },
    pause: {
      usage: 'SCHEDULE',
      about: 'Pause a schedule',
      minArgs: 1,
      maxArgs: 1,
      flags: [],
      async run(options) {
        const { setPaused } = await import('../../schedules/change.ts');
        return setPaused(options, true);
      },
    },
    resume: {
      usage: 'SCHEDULE',
      about: 'Resume a schedule; missed runs are skipped',
      minArgs: 1,
      maxArgs: 1,
      flags: [],
      async run(options) {
        const { setPaused } = await import('../../schedules/change.ts');
        return setPaused(options, false);
      },
    },
    run: {
      usage: 'SCHEDULE',
      about: 'Start a run now and print its session id',
      minArgs: 1,
      maxArgs: 1,
      flags: [],
      async run(options) {
        const { runNow } = await import('../../schedules/change.ts');
        return runNow(options);
      },
    },
    remove: {
      usage: 'SCHEDULE... [--yes]',
      about: 'Remove schedules; their sessions are kept',
      minArgs: 1,
      maxArgs: Number.POSITIVE_INFINITY,
      flags: ['yes'],
      async run(options) {
        const { removeSchedules } = await import('../../schedules/change.ts');
        return removeSchedules(options, { yes: hasFlag(options, 'yes') });
      },
    },
  },
  fallback: 'list',
  examples: [
    {
      command: 'amux schedule "0 7 * * 1-5" -- new -a claude "what broke last night?"',
      about: 'Start a session every workday at 7:00',
    },
    {
      command: 'amux schedule "30 9 1 * *" --missed run -- new -a codex --worktree -C ~/src/app "update the libraries"',
      about: 'Start one every month, and catch up if the machine was off',
    },
    { command: 'amux schedule list', about: 'List all schedules' },
    { command: 'amux schedule show t4qp', about: 'Show one; a unique id prefix is enough' },
    { command: 'amux schedule pause t4qp', about: 'Pause one' },
    {
      command: `amux schedule show t4qp --json | jq -r '.runs[0].sessionId'`,
      about: 'Print the session of the last run',
    },
  ],
  notes: [
    'Fields accept numbers, names (mon, jan), lists (1,15), ranges (1-5) and steps (*/10, 8-18/2). If',
    'both day fields are restricted, either one matches. After --, --env NAME passes a variable from',
    "the daemon's environment; values are not stored. See docs/schedules.md for clock changes and",
    'sleeping machines.',
  ],
});

/** A first argument that looks like a cron expression implies `add`. */
export const schedule: Command = {
  ...actions,
  usage: 'amux schedule CRON [flags] -- new ... | list | show | pause | resume | run | remove',
  run(options) {
    const [first = ''] = options.positionals;
    return actions.run(/\s/.test(first) ? { ...options, positionals: ['add', ...options.positionals] } : options);
  },
};
