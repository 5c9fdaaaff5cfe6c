import { declaring, dropping, launching, type Sabotage } from './sabotage.ts';

const saying = (code: string) =>
  launching((spawn) => ({ ...spawn, args: spawn.args.map((arg, at) => (at === 1 ? code : arg)) }));

export const RUN: readonly Sabotage[] = [
  {
    what: 'a cost that is never told',
    make: () => declaring('oneshot', { reportsUsage: true, reportsCost: true }),
    caughtBy: 'gives an answer, its time, its cost or none, its usage or none',
    inRun: true,
  },
  {
    what: 'sessions without an id',
    make: () => saying(`console.log('{"word":"hello"}')`),
    caughtBy: 'keeps the order of events, and a result that agrees with them',
    also: /^a run: can be gone on with/,
    inRun: true,
  },
  {
    what: 'a session that is begun anew when it should go on',
    make: () => dropping('sessionId'),
    caughtBy: 'can be gone on with by the id of its session',
    also: /sessionId takes effect/,
    inRun: true,
  },
  {
    what: 'an agent that leaves without a word',
    make: () => saying(`console.log('{"session":"s"}')`),
    caughtBy: 'gives an answer, its time, its cost or none, its usage or none',
    also: /^a run: /,
    inRun: true,
  },
];
