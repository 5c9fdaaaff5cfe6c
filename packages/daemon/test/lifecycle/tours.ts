import type { Kind } from './kinds.ts';
import type { Verb } from './world.ts';

/** A sequence that runs before the random ones. Together they cover every command and every state. */
interface Tour {
  first: Verb;
  commands: readonly string[];
  isFor(kind: Kind, index: number): boolean;
}

const again = (times: number, ...commands: string[]) => Array.from({ length: times }, () => commands).flat();

export const TOURS: readonly Tour[] = [
  {
    // A message right after park, stop and restore.
    first: 'quick',
    commands: [
      ...['rest', ...again(3, 'park', 'send'), 'rest'],
      ...[...again(2, 'stop', 'restore follow', 'send follow'), 'rest'],
    ],
    isFor: () => true,
  },
  {
    // A queue, hooks of every kind, and a killed daemon.
    first: 'hold',
    commands: [
      ...['send', 'send', 'cancel', 'report exited', 'hook exited', 'hook idle old', 'repeatHook', 'release', 'rest'],
      ...['send ask', 'send hold', 'rest', 'approve', 'rest', 'killDaemon', 'interrupt', 'rest', 'stop'],
      ...['report active old', 'report active', 'hook active', 'foreignHook active old', 'repeatHook', 'rest'],
      ...['restore', 'send follow', 'rest', 'park', 'rest', 'foreignHook active', 'rest', 'send follow', 'rest'],
    ],
    isFor: ({ isJob }, index) => isJob || index % 2 === 0,
  },
  {
    // Failed turns, a lost keeper, other sessions of the same agent, forks.
    first: 'fail',
    commands: [
      ...['rest', 'send follow', 'rest', 'fork', 'new ask', 'pause 5', 'send 2 hold', 'rest', 'approve 1', 'approve 2'],
      ...['send hold', 'rest', 'killKeeper', 'rest', 'restore follow', 'send follow', 'rm 1', 'rest', 'stop', 'fork'],
    ],
    isFor: ({ isJob }, index) => isJob || index % 2 === 1,
  },
  {
    // A message that was lost with its keeper and then dismissed, although the agent received it.
    first: 'hold',
    commands: ['rest', 'killKeeper', 'rest', 'cancel', 'send follow', 'rest'],
    isFor: ({ hasId, isJob }) => !hasId && !isJob,
  },
];
