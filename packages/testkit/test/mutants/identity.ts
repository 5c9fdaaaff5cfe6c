import { MODES } from '../valid-adapter/adapter.ts';
import { altered, declaring, inLive, type Mutant } from './mutant.ts';

const { oneshot, live, http } = MODES;

export const IDENTITY: readonly Mutant[] = [
  {
    what: 'two modes of one name',
    make: () => altered({ modes: [oneshot, live, live, http] }),
    caughtBy: 'has no issues',
    also: /^its identity: |before anything is spawned|^its health|^a run: /,
  },
  {
    what: 'new capabilities each time',
    make() {
      const adapter = altered({});
      return Object.defineProperty(adapter, 'capabilities', { get: () => ({ ...oneshot.capabilities }) });
    },
    caughtBy: 'has the same capabilities each time',
    also: /^its identity: can be registered/,
  },
  {
    what: 'a name with a path in it',
    make: () => altered({ agent: '../../etc' }),
    caughtBy: 'has a name that can be typed and used as a folder',
  },
  {
    what: 'a name that every object has',
    make: () => altered({ agent: 'constructor' }),
    caughtBy: 'has a name that can be typed and used as a folder',
  },
  {
    what: 'a name with a line in it',
    make: () => altered({ agent: 'sound\nsystem' }),
    caughtBy: 'has a name that can be typed and used as a folder',
  },
  {
    what: 'half of the methods for plugins',
    make: () => altered({ listPlugins: async () => [] }),
    caughtBy: 'has the commands or the methods for plugins exactly if it supports plugins',
  },
  {
    what: 'switching its mode without a way to',
    make: () => declaring('live', { supportsModeSwitch: true }),
    caughtBy: 'declares nothing in mode "live" that its other declarations contradict',
    also: /^the conversation in mode "live": switches to approvalMode/,
  },
  {
    what: 'steering a process without input',
    make: () => declaring('oneshot', { supportsSteer: true }),
    caughtBy: 'declares nothing in mode "oneshot" that its other declarations contradict',
  },
  {
    what: 'resuming sessions that are not kept',
    make: () => declaring('live', { sessionPersistence: 'none' }),
    caughtBy: 'declares nothing in mode "live" that its other declarations contradict',
  },
  {
    what: 'no approval mode at all',
    make: () => declaring('live', { approvalModes: [] }),
    caughtBy: 'has modes with unique names and at least one approval mode each',
    also: /before anything is spawned/,
  },
  {
    what: 'a codec that lacks resolve',
    make: () => inLive({ codec: { ...live.live?.codec, resolve: undefined } }),
    caughtBy: 'has no issues',
    also: /^its identity: |before anything is spawned|mode "live"|^its health|^a run: /,
  },
  {
    what: 'models without a size, or with a price below nothing',
    make: () =>
      altered({
        models: [
          { id: 'm', contextWindow: 0, maxOutputTokens: null, supportsThinking: true, supportsImageInput: false },
        ],
      }),
    caughtBy: 'has models with a name, sizes and prices, or none',
  },
];
