import { declaring, dropping, launching, type Mutant } from './mutant.ts';

const saying = (code: string) =>
  launching((spawn) => ({ ...spawn, args: spawn.args.map((arg, at) => (at === 1 ? code : arg)) }));

export const RUN: readonly Mutant[] = [
  {
    what: 'a cost that is never reported',
    make: () => declaring('oneshot', { reportsUsage: true, reportsCost: true }),
    caughtBy: 'has an answer, a duration, and a cost and usage if reported',
    inRun: true,
  },
  {
    what: 'sessions without an id',
    make: () => saying(`console.log('{"word":"hello"}')`),
    caughtBy: 'keeps the order of events and has a matching result',
    also: /^a run: can be resumed/,
    inRun: true,
  },
  {
    what: 'a session that starts over when it should resume',
    make: () => dropping('sessionId'),
    caughtBy: 'can be resumed by the id of its session',
    also: /sessionId takes effect/,
    inRun: true,
  },
  {
    what: 'an agent that exits silently',
    make: () => saying(`console.log('{"session":"s"}')`),
    caughtBy: 'has an answer, a duration, and a cost and usage if reported',
    also: /^a run: /,
    inRun: true,
  },
];
