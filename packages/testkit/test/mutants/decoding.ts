import { execSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { EventBody } from '@agent-mux/core';
import { costOf } from '../valid-adapter/protocol.ts';
import { altered, decoding, type Mutant } from './mutant.ts';

export const GARBAGE = 'survives garbage and gives only events of the contract, the same for the same bytes';
const MACHINE = 'does not access the machine: no file, process, network, clock or randomness';
const DECODER = /^(?:the decoder|the options|the launch) in mode |^its recordings|^its tools|^a run: /;
const isPlain = (line: string) => line === 'a plain line';
const word = (delta: unknown) => [{ type: 'text_delta', delta }];
const seen: string[] = [];
const counts = { lines: 0 };

/** Compares each with each, in steps: far more work than there are lines. */
export function lookThrough(lines: readonly string[], step: number): number {
  let alike = 0;
  for (const one of lines) {
    for (let at = 0; at < lines.length; at += step) if (lines[at]?.length === one.length) alike += 1;
  }
  return alike;
}

/** In every line, so that every line of any mode is wrong. */
const always = (what: string, given: () => unknown): Mutant => ({
  what,
  make: () => altered({ parseEvent: given }),
  caughtBy: GARBAGE,
  also: DECODER,
});
const reaching = (what: string, reach: () => unknown, also?: RegExp): Mutant => ({
  what,
  make: () =>
    decoding((line) => {
      if (line !== 'null') return;
      try {
        reach();
      } catch {}
    }),
  caughtBy: MACHINE,
  ...(also ? { also } : {}),
});

export const DECODING: readonly Mutant[] = [
  always('undefined for a line', () => undefined),
  always('a list with null', () => [null]),
  always('text for a line', () => 'hello'),
  always('an object that is not an event', () => ({})),
  always('an unknown event', () => [{ type: 'words', words: 1 }]),
  always('a promise for a line', async () => []),
  always('a promise that fails', async () => Promise.reject(new Error('no'))),
  always('an exception for a line', () => {
    throw new TypeError('no such field');
  }),
  always('a hundred thousand events for a line', () => Array.from({ length: 100_000 }, () => word('x')[0])),
  always('five megabytes for a line', () => word('x'.repeat(5_000_000))),
  always('a text that is not a string', () => word(['x'])),
  always('a cost that is not a number', () => [costOf(Number.NaN)]),
  always('a cost below nothing', () => [costOf(-1)]),
  always('a tool result that lacks its call', () => [{ type: 'tool_result', toolName: 'bash', output: '' }]),
  always('an event with its envelope', () => [{ type: 'text_delta', delta: 'x', seq: 1, runId: 'r' }]),
  always('text after the end of its turn', () => [{ type: 'turn_end', status: 'completed' }, ...word('late')]),
  {
    what: 'a tool result with an empty id',
    make: () =>
      decoding((line) =>
        line.startsWith('{"tool":')
          ? [{ type: 'tool_result', toolCallId: '', toolName: 'bash', output: '' }]
          : undefined,
      ),
    caughtBy: 'tools.jsonl is decoded deterministically to its expected events',
  },
  {
    what: 'state that does not survive JSON',
    make: () =>
      decoding((line, { adapterState }) => {
        const known = adapterState.seen instanceof Set ? adapterState.seen.add(line) : new Set([line]);
        adapterState.seen = known;
        return word(String(known.size));
      }),
    caughtBy: GARBAGE,
    also: /^the decoder in mode |tools\.jsonl|slow down after many lines/,
  },
  {
    what: 'state in the adapter',
    make: () =>
      decoding(() => {
        counts.lines += 1;
        return word(String(counts.lines));
      }),
    caughtBy: 'keeps two simultaneous runs apart',
    also: DECODER,
  },
  {
    what: 'a call that the adapter remembers and emits in the next run',
    make: () =>
      decoding((line) => {
        if (line.startsWith('{"tool":')) seen.push(line);
        return line.startsWith('{"word":') && seen.length > 0 ? word(seen.splice(0).join()) : undefined;
      }),
    caughtBy: 'keeps two simultaneous runs apart',
    also: DECODER,
  },
  {
    what: 'a prototype that is changed',
    make: () =>
      decoding((line) => {
        const table: Record<string, Record<string, boolean>> = {};
        const known = table[/"type":"(\w+)"/.exec(line)?.[1] ?? ''];
        if (known) known.seen = true;
      }),
    caughtBy: 'survives a prototype',
    also: DECODER,
  },
  reaching('a file that is read', () => readFileSync('/etc/hostname')),
  reaching('a process that is started', () => execSync('true')),
  reaching('a request to the network', () => fetch('http://127.0.0.1:9/').catch(() => {})),
  reaching('a look at the clock', () => Date.now()),
  reaching('a day by the clock', () => new Date()),
  reaching('chance', () => Math.random()),
  reaching('an id by chance', () => globalThis.crypto.randomUUID()),
  reaching('a variable', () => process.env.HOME),
  reaching('a timer', () => clearTimeout(setTimeout(() => {}, 0))),
  reaching('a line on the stdout of the host', () => process.stdout.write('')),
  reaching('an order of letters that depends on the machine', () => 'a'.localeCompare('b')),
  reaching('the hour of the wall', () => new Date(0).getHours()),
  reaching('a time without its zone', () => new Date('2026-01-01 10:00')),
  reaching('something on globalThis', () => Object.assign(globalThis, { [`soundSeen${counts.lines++}`]: true })),
  reaching('the end of the process', () => process.exit(0)),
  {
    what: 'options that are changed',
    make: () =>
      decoding((_, context) => {
        context.options.model = 'mine';
      }),
    caughtBy: 'does not change its input',
    also: DECODER,
  },
  {
    what: 'a context that is changed',
    make: () =>
      decoding((_, context) => {
        context.turnIndex += 1;
      }),
    caughtBy: 'does not change its input',
  },
  {
    what: 'an answer from stderr',
    make: () => decoding((line, { source }) => (source === 'stderr' && isPlain(line) ? word(line) : undefined)),
    caughtBy: 'does not treat stderr as the answer',
  },
  {
    what: 'words for blank lines',
    make: () => decoding((line) => (line.trim() === '' ? word('\n') : undefined)),
    caughtBy: 'ignores blank lines, unless every line is text',
  },
  {
    what: 'a cost of 0 where none is known',
    make: () => altered({ parseEnd: (): EventBody[] => [costOf(0)] }),
    caughtBy: 'reports no amount that the agent has not reported',
  },
  {
    what: 'keys of the run in an error',
    make: () =>
      altered({
        parseEnd: ({ options }: { options: object }, { code }: { code: number }): EventBody[] =>
          code === 0
            ? []
            : [{ type: 'error', code: 'AGENT_ERROR', message: JSON.stringify(options), recoverable: false }],
      }),
    caughtBy: 'repeats no secret of the run',
  },
  ...[undefined, null, {}, 'done', [null]].map(
    (given): Mutant => ({
      what: `${JSON.stringify(given)} at the end`,
      make: () => altered({ parseEnd: () => given }),
      caughtBy: GARBAGE,
      also: DECODER,
    }),
  ),
  {
    what: 'an end that throws',
    make: () =>
      altered({
        parseEnd() {
          throw new Error('no');
        },
      }),
    caughtBy: GARBAGE,
    also: DECODER,
  },
  {
    what: 'a look through all lines at each line',
    make: () =>
      decoding((line, { adapterState }) => {
        const lines = [...(Array.isArray(adapterState.lines) ? adapterState.lines : []), line];
        adapterState.lines = lines;
        lookThrough(lines, 6);
      }),
    caughtBy: 'does not slow down after many lines',
  },
  {
    what: 'an expression that restarts at each letter',
    make: () =>
      decoding((line) => {
        /\w+!/.test(line);
      }),
    caughtBy: 'handles a long line in linear time',
  },
];
