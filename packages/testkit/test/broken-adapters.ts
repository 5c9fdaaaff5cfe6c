import { mkdirSync, writeFileSync } from 'node:fs';
import {
  type AgentAdapter,
  type EventBody,
  expandPath,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { codec, LIVE, liveMode, ONESHOT, Sound } from './sound-adapter.ts';

const ONCE = { name: 'oneshot', driver: 'oneshot', summary: 'a process per turn' } as const;
const garbage = 'survives garbage, gives events of the contract only, and the same ones for the same bytes';
let launches = 0;
const counts = { lines: 0 };

/** One fault each, and the sentence of the contract that it breaks. */
export const BROKEN: readonly [sentence: string, what: string, adapter: AgentAdapter][] = [
  [
    'has no faults',
    'two modes of one name',
    new (class extends Sound {
      override readonly modes = [...liveMode({}), ...liveMode({})];
    })(),
  ],
  [
    'has the same capabilities each time that they are asked for',
    'new capabilities each time',
    new (class extends Sound {
      override get capabilities() {
        return { ...ONESHOT };
      }
    })(),
  ],
  [
    'has the commands or the methods for plugins exactly if it supports plugins',
    'plugins that are not declared',
    new (class extends Sound {
      async listPlugins() {
        return [];
      }
    })(),
  ],
  [
    'declares nothing in mode "live" that its other declarations contradict',
    'steering without a way to steer',
    new (class extends Sound {
      override readonly modes = liveMode({ capabilities: { ...LIVE, supportsSteer: true } });
    })(),
  ],
  [
    'is the same for the same options',
    'a launch that counts',
    changed((spawn) => ({ ...spawn, args: [...spawn.args, `${launches++}`] })),
  ],
  [
    'leaves its options as they are',
    'a launch that changes its options',
    changed((spawn, options) => {
      options.model = 'mine';
      return spawn;
    }),
  ],
  [
    'writes no file',
    'a launch that writes',
    changed((spawn, { scratchDir }) => {
      mkdirSync(scratchDir, { recursive: true });
      return spawn;
    }),
  ],
  [
    'keeps its helper files below the scratch folder',
    'a helper file elsewhere',
    changed((spawn) => ({ ...spawn, files: { '../../.bashrc': '' } })),
  ],
  ['is complete, whatever is asked for', 'a relative folder', changed((spawn) => ({ ...spawn, cwd: '.' }))],
  ['brings the prompt to the agent', 'a lost prompt', changed((spawn) => ({ ...spawn, stdin: '' }))],
  [
    'gives no prompt to the command line that could be taken for an option',
    'a prompt as a bare argument',
    changed((spawn, { prompt }) => ({ ...spawn, args: ['-p', prompt] })),
  ],
  [
    'puts no long prompt into an argument',
    'a prompt as an argument',
    changed((spawn, { prompt }) => ({ ...spawn, args: [`--prompt=${prompt}`] })),
  ],
  [
    'puts no value of env into an argument',
    'a key as an argument',
    changed((spawn, { env }) => ({ ...spawn, args: Object.values(env ?? {}) })),
  ],
  ['model takes effect', 'a dropped model', changed((spawn) => ({ ...spawn, args: [] }))],
  [
    'the approval modes that let more pass differ from all others',
    'yolo for everybody',
    changed((spawn) => ({ ...spawn, args: [] })),
  ],
  [
    'nativePermissionMode takes effect or is refused',
    'a dropped native mode',
    changed((spawn) => ({ ...spawn, args: [] })),
  ],
  ['another working folder is another launch', 'one folder for all', changed((spawn) => ({ ...spawn, cwd: '/' }))],
  [
    'runs that would be started in another way do not share a process',
    'a process shared by all',
    new (class extends Sound {
      override readonly modes = liveMode({
        live: {
          transport: 'stdio',
          codec,
          sessionFirst: false,
          share: { key: () => '', channelOf: () => '', route: () => undefined },
        },
      });
    })(),
  ],
  [garbage, 'a decoder that throws', decoding((line) => JSON.parse(line))],
  [
    garbage,
    'an event that nobody knows',
    decoding((line) => [JSON.parse(`{"type":"words","line":${JSON.stringify(line)}}`)]),
  ],
  [
    garbage,
    'an event with a wrong field',
    decoding((line) => [{ type: 'text_delta', delta: JSON.parse(`[${line.length}]`) }]),
  ],
  [
    garbage,
    'state that does not survive JSON',
    decoding((line, { adapterState }) => {
      const seen = adapterState.seen instanceof Set ? adapterState.seen.add(line) : new Set([line]);
      adapterState.seen = seen;
      return [{ type: 'text_delta', delta: String(seen.size) }];
    }),
  ],
  [
    garbage,
    'a decoder that looks at the clock',
    decoding(() => [{ type: 'text_delta', delta: String(performance.now()) }]),
  ],
  [
    'keeps two runs at once apart',
    'a decoder that counts for all runs',
    decoding(() => {
      counts.lines += 1;
      return [{ type: 'text_delta', delta: String(counts.lines) }];
    }),
  ],
  [
    'survives a prototype',
    'a table that is indexed by what the agent says',
    new (class extends Sound {
      override readonly modes = liveMode(
        {},
        {
          decode(line) {
            const message = /"type":"(\w+)"/.exec(line)?.[1];
            const table: Record<string, { seen?: boolean }> = {};
            const known = table[message ?? ''];
            if (known) known.seen = true;
            return { events: [] };
          },
        },
      );
    })(),
  ],
  [
    'switches the model',
    'a model that is not switched',
    new (class extends Sound {
      override readonly modes = liveMode({}, { setModel: () => [] });
    })(),
  ],
  [
    'interrupts the running turn',
    'an interrupt that says nothing',
    new (class extends Sound {
      override readonly modes = liveMode({}, { interrupt: () => [] });
    })(),
  ],
  [
    'give events of the contract, whatever has happened',
    'a hook that fails',
    new (class extends Sound {
      override onTimeout(): EventBody {
        throw new Error('no');
      }
    })(),
  ],
  [
    'is looked for quickly and without a fault, where nobody ever logged in',
    'a login check that fails',
    new (class extends Sound {
      override async detectAuth(): Promise<never> {
        throw new Error('no login');
      }
    })(),
  ],
  [
    'are not made up from a file that is missing, or is none',
    'an invented session',
    new (class extends Sound {
      override async parseSessionFile() {
        return { agent: 'sound', sessionId: 's', messages: [] };
      }
    })(),
  ],
  [
    'of the user is written so that all else in it stays',
    'a file that is overwritten',
    new (class extends Sound {
      override async writeConfig({ values }: { values?: Record<string, unknown> }) {
        writeFileSync(expandPath('~/.sound.json'), JSON.stringify(values));
      }
    })(),
  ],
  [
    'gives an answer, its time, its cost or none, its usage or none',
    'a cost that is never told',
    new (class extends Sound {
      override readonly modes = [{ ...ONCE, capabilities: { ...ONESHOT, reportsUsage: true, reportsCost: true } }];
    })(),
  ],
];

function changed(change: (spawn: SpawnArgs, options: ResolvedRunOptions) => SpawnArgs): AgentAdapter {
  return new (class extends Sound {
    override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
      return change(super.buildSpawnArgs(options), options);
    }
  })();
}

function decoding(parse: (line: string, context: ParseContext) => EventBody[]): AgentAdapter {
  return new (class extends Sound {
    override parseEvent(line: string, context: ParseContext): EventBody[] {
      return parse(line, context);
    }
  })();
}
