import { readdirSync } from 'node:fs';
import type { DecodeContext } from '@agent-mux/core';
import { codec, type LiveState } from '../valid-adapter/codec.ts';
import { GARBAGE, lookThrough } from './decoding.ts';
import { calling, inLive, type Mutant, serving, speaking } from './mutant.ts';

const MACHINE = 'does not access the machine: no file, process, network, clock or randomness';
const IN_LIVE = /mode "live"|^its recordings|^its tools/;
const IN_HTTP = /mode "http"/;
const APART = 'keeps two simultaneous runs apart';
const ROUTED = 'is shared by a key, and any line is routed by channels';
const REACHED = 'is a server with addresses, headers and paths, and no line invents one';
const shared: LiveState = { model: null, flags: [], lines: 0 };
const counts = { messages: 0 };

/** Members that send something, and what they must not send. */
const says = (member: string, caughtBy: string, also = IN_LIVE): Mutant[] =>
  [undefined, 'hello', [null]].map((given) => ({
    what: `${member} says ${JSON.stringify(given)}`,
    make: () => speaking({ [member]: () => given }),
    caughtBy,
    also,
  }));
const fails = (member: string, caughtBy: string, also = IN_LIVE): Mutant[] => [
  {
    what: `${member} throws`,
    make: () =>
      speaking({
        [member]() {
          throw new Error('no');
        },
      }),
    caughtBy,
    also,
  },
  {
    what: `${member} gives a promise, which fails`,
    make: () => speaking({ [member]: async () => Promise.reject(new Error('no')) }),
    caughtBy,
    also,
  },
];
const reaching = (what: string, reach: () => unknown): Mutant => ({
  what: `a conversation with ${what}`,
  make: () =>
    speaking({
      decode(line: string, state: LiveState, context: DecodeContext) {
        if (line === 'null') reach();
        return codec.decode(line, state, context);
      },
    }),
  caughtBy: MACHINE,
  also: /mode "live": (?:survives|does not access)/,
});

export const LIVE_CODEC: readonly Mutant[] = [
  ...says('handshake', GARBAGE),
  ...says('turn', GARBAGE),
  ...says('resolve', 'are answered without an error, whatever the request and the answer'),
  ...says('interrupt', 'interrupts the running turn'),
  ...says('steer', 'steers the running turn'),
  ...says('setModel', 'switches the model'),
  ...says('close', 'can be closed at any time'),
  ...fails('open', GARBAGE),
  ...fails('handshake', GARBAGE),
  ...fails('turn', GARBAGE),
  ...fails('decode', GARBAGE),
  ...fails('resolve', 'are answered without an error, whatever the request and the answer'),
  ...fails('close', 'can be closed at any time'),
  ...[null, 'state', [null]].map(
    (given): Mutant => ({
      what: `open gives ${JSON.stringify(given)}`,
      make: () => speaking({ open: () => given }),
      caughtBy: GARBAGE,
      also: IN_LIVE,
    }),
  ),
  ...[
    undefined,
    null,
    [],
    {},
    'x',
    { events: null },
    { events: [null] },
    { events: [], replies: 'x' },
    { events: [{ type: 'words' }] },
  ].map(
    (given): Mutant => ({
      what: `decode gives ${JSON.stringify(given)}`,
      make: () => speaking({ decode: () => given }),
      caughtBy: GARBAGE,
      also: IN_LIVE,
    }),
  ),
  {
    what: 'decode gives a hundred thousand events',
    make: () =>
      speaking({
        decode: () => ({ events: Array.from({ length: 100_000 }, () => ({ type: 'text_delta', delta: '' })) }),
      }),
    caughtBy: GARBAGE,
    also: IN_LIVE,
  },
  {
    what: 'a message of six megabytes',
    make: () => speaking({ handshake: () => ['x'.repeat(6_000_000)] }),
    caughtBy: GARBAGE,
    also: IN_LIVE,
  },
  {
    what: 'one state for all runs',
    make: () =>
      speaking({
        open: () => shared,
        decode(_: string, state: LiveState) {
          state.lines += 1;
          return { events: [{ type: 'text_delta', delta: String(state.lines) }] };
        },
      }),
    caughtBy: APART,
    also: IN_LIVE,
  },
  {
    what: 'messages that are counted for all runs',
    make: () => speaking({ decode: () => ({ events: [{ type: 'text_delta', delta: String(counts.messages++) }] }) }),
    caughtBy: APART,
    also: IN_LIVE,
  },
  {
    what: 'state that does not survive JSON, in a conversation',
    make: () =>
      speaking({
        open: () => ({ seen: new Map(), model: null, flags: [], lines: 0 }),
        decode(line: string, { seen }: { seen: unknown }) {
          if (seen instanceof Map) seen.set(line, seen.size);
          return { events: seen instanceof Map ? [{ type: 'text_delta', delta: String(seen.size) }] : [] };
        },
      }),
    caughtBy: GARBAGE,
    also: IN_LIVE,
  },
  reaching('a folder that is read', () => {
    try {
      readdirSync('/');
    } catch {}
  }),
  reaching('a look at the clock', () => Date.now()),
  reaching('chance', () => Math.random()),
  reaching('a variable', () => process.env.PATH),
  {
    what: 'options that are changed by the conversation',
    make: () =>
      speaking({
        open(options: { model?: string }) {
          options.model ??= 'mine';
          return codec.open(Object.assign(options));
        },
      }),
    caughtBy: 'does not change its input',
    also: /mode "live": (?:does not change its options|model takes effect|switches the model|is the same)|do not share/,
  },
  {
    what: 'a lost further turn',
    make: () =>
      speaking({ turn: ({ text }: { text: string }) => (text.includes('further') ? [] : [JSON.stringify({ text })]) }),
    caughtBy: 'passes a further turn to the agent',
    also: /attachments with a|switches the model/,
  },
  {
    what: 'an interrupt that says nothing',
    make: () => speaking({ interrupt: () => [] }),
    caughtBy: 'interrupts the running turn',
  },
  {
    what: 'steering that says nothing',
    make: () => speaking({ steer: () => [] }),
    caughtBy: 'steers the running turn',
  },
  {
    what: 'a model that is not switched',
    make: () => speaking({ setModel: () => [] }),
    caughtBy: 'switches the model',
  },
  {
    what: 'keys of the run in an event of the conversation',
    make: () =>
      speaking({
        open: (options: Parameters<typeof codec.open>[0]) => ({ ...codec.open(options), env: options.env }),
        decode: (_: string, state: { env?: object }) => ({
          events: [{ type: 'debug', level: 'info', code: 'x', message: JSON.stringify(state.env ?? {}) }],
        }),
      }),
    caughtBy: 'repeats no secret of the run in an event',
    also: /requests in mode "live"|asks\.txt/,
  },
  {
    what: 'a conversation that looks through all messages at each',
    make: () =>
      speaking({
        open: () => ({ model: null, flags: [], lines: 0, heard: [] }),
        decode(line: string, state: LiveState & { heard: string[] }, context: DecodeContext) {
          state.heard = [...state.heard, line];
          lookThrough(state.heard, 2);
          return codec.decode(line, state, context);
        },
      }),
    caughtBy: 'does not slow down after many messages',
    also: /mode "live": .*takes effect/,
  },
  ...[undefined, null, [{}], [{ tag: 'x' }], [{ tag: 'x', method: 'GET', path: 'http://example.com/' }]].map(
    (given): Mutant => ({
      what: `over HTTP handshake says ${JSON.stringify(given)}`,
      make: () => calling({ handshake: () => given }),
      caughtBy: GARBAGE,
      also: IN_HTTP,
    }),
  ),
  {
    what: 'a process shared by all',
    make: () => inLive({ share: { key: () => '', channelOf: () => '', route: () => undefined } }),
    caughtBy: 'runs with different launches do not share a process',
  },
  ...(
    [
      ['a key that is none', { key: () => undefined, channelOf: () => '', route: () => undefined }],
      ['a channel that is none', { key: JSON.stringify, channelOf: () => 7, route: () => undefined }],
      ['a route that is a number', { key: JSON.stringify, channelOf: () => '', route: () => 7 }],
      [
        'a route that is only for JSON',
        { key: JSON.stringify, channelOf: () => '', route: (line: string) => JSON.parse(line).id },
      ],
    ] as const
  ).map(
    ([what, share]): Mutant => ({
      what,
      make: () => inLive({ share }),
      caughtBy: ROUTED,
      also: /do not share a process/,
    }),
  ),
  ...(
    [
      ['an address that is none', { readUrl: (line: string) => line }],
      ['an address that throws', { readUrl: (line: string) => new URL(line).href }],
      ['headers that are none', { headers: () => 'Bearer' }],
      ['a base that is none', { baseUrl: () => 'here' }],
      ['a path of events that is none', { eventsPath: () => 'events' }],
      ['no way to find the server', { readUrl: undefined }],
    ] as const
  ).map(([what, change]): Mutant => ({ what, make: () => serving(change), caughtBy: REACHED })),
  {
    what: 'a key of the server that is none',
    make: () => serving({ shareKey: () => ({}) }),
    caughtBy: REACHED,
    also: /do not share a process/,
  },
];
