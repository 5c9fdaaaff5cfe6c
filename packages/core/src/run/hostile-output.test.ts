import { assertEventOrder } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { eventsOf, typed, useBench } from '../../test/engine.ts';
import { runHost } from '../../test/run-host.ts';
import { ScriptAdapter } from '../../test/script-adapter.ts';
import { MAX_BLOCK_CHARS, StreamAssembler } from '../contract/assembler.ts';
import type { EventBody } from '../contract/events.ts';
import { RemoteWatcher } from '../process/remote/link.ts';
import { TOO_DEEP, toJson } from '../values.ts';
import { MAX_OPEN_PARTS } from './ordering/bounded-map.ts';
import { MAX_RESULT_TEXT_CHARS } from './turns/result.ts';

const bench = useBench();
const DEPTH = 50_000;
const deep = (): unknown => JSON.parse(`${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`);

/** An agent that prints one word, which the decoder turns into these events. */
function saying(events: () => EventBody[]) {
  const code = "process.stdin.once('data', () => console.log('said'))";
  return bench.use(
    new ScriptAdapter(code, {
      transport: 'stdio',
      waitForSession: false,
      codec: {
        open: () => ({}),
        handshake: () => [],
        turn: () => ['go'],
        decode: () => ({ events: [...events(), { type: 'turn_end', status: 'completed' }] }),
        resolve: (_request, answer) => [JSON.stringify(answer)],
      },
    }),
  );
}

describe('agent output longer than a string can hold', { timeout: 90_000 }, () => {
  it('is streamed to its end; the result has only the start and reports that', async () => {
    const node = ['--max-old-space-size=512'];
    expect(await runHost('flood.ts', ['1000', '700000'], { node })).toEqual({
      streamed: 700_000_000,
      kept: MAX_RESULT_TEXT_CHARS,
      omittedTextChars: 700_000_000 - MAX_RESULT_TEXT_CHARS,
      exitReason: 'completed',
      cuts: ['text_truncated'],
    });
  });

  it('ends an overlong block', () => {
    const assembler = new StreamAssembler();
    assembler.startBlock(() => false);
    const line = 'x'.repeat(MAX_BLOCK_CHARS / 4);
    expect([1, 2, 3].map(() => assembler.feed(line))).toEqual([null, null, null]);
    expect(assembler.feed(line)?.length).toBe(MAX_BLOCK_CHARS + 3);
    expect(assembler.inBlock).toBe(false);
  });

  it('passes on remote stderr that never ends a line', () => {
    const cleanUp = { command: '', args: [], always: false };
    const watch = new RemoteWatcher({ token: 'token', preamble: '', name: '', program: '', cleanUp });
    const chunk = Buffer.alloc(64 * 1024, 'x');
    for (let i = 0; i < 20; i++) expect(watch.take(chunk)).toEqual(chunk);
    expect(watch.take(Buffer.from('\ntoken end 3\n'))).toHaveLength(0);
    expect(watch.settled).toBe(true);
  });
});

describe('agent that never closes what it opens', () => {
  it('loses its oldest tool calls with an error', async () => {
    const more = 500;
    const calls = Array.from({ length: MAX_OPEN_PARTS + more }, (_, i): EventBody[] => [
      { type: 'tool_call_start', toolCallId: `call-${i}`, toolName: 'Bash' },
      { type: 'text_delta', delta: '.', parentToolCallId: `call-${i}` },
    ]);
    const handle = saying(() => calls.flat()).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    const errors = typed(events, 'tool_error');
    expect(errors).toHaveLength(calls.length);
    expect(errors[0]).toMatchObject({ toolCallId: 'call-0', error: 'too many tool calls are open' });
    expect(errors.filter(({ error }) => error === 'too many tool calls are open')).toHaveLength(more);
  });

  it('gets further requests denied', async () => {
    const requests = Array.from(
      { length: 300 },
      (_, i): EventBody => ({
        type: 'approval_request',
        requestId: `ask-${i}`,
        toolName: 'Bash',
        title: 'ls',
        options: [],
      }),
    );
    const events = await eventsOf(saying(() => requests).run());
    assertEventOrder(events);
    const refused = typed(events, 'approval_resolved').filter(({ by }) => by === 'policy');
    expect(refused).toHaveLength(44);
    expect(refused[0]).toMatchObject({ requestId: 'ask-256', outcome: 'denied' });
  });
});

describe('value nested deeper than the stack', () => {
  it('passes through a run unchanged', async () => {
    const input = deep();
    const handle = saying(() => [
      { type: 'tool_call_ready', toolCallId: 'a', toolName: 'Bash', input },
      { type: 'tool_result', toolCallId: 'a', toolName: 'Bash', output: input },
    ]).run({ includeRaw: true });
    const events = await eventsOf(handle);
    expect(typed(events, 'tool_call_ready')[0]?.input === input).toBe(true);
    expect((await handle).exitReason).toBe('completed');
  });

  it('is not valid for an outputSchema', async () => {
    const adapter = saying(() => [{ type: 'turn_end', status: 'completed', structured: deep() }]);
    Object.assign(adapter.adapter.modes![0]!.capabilities, { supportsStructuredOutput: true });
    const outputSchema = {
      $ref: '#/$defs/a',
      $defs: { a: { type: 'object', properties: { a: { $ref: '#/$defs/a' } } } },
    };
    const result = await adapter.run({ outputSchema });
    expect(result.error).toMatchObject({ code: 'OUTPUT_SCHEMA_ERROR', message: expect.stringContaining('too deep') });
  });

  it('denies its approval if the answer cannot be sent', async () => {
    const code = "let n = 0; process.stdin.on('data', () => console.log(n++ === 0 ? 'ask' : 'end'))";
    const adapter = new ScriptAdapter(code, {
      transport: 'stdio',
      waitForSession: false,
      codec: {
        open: () => ({}),
        handshake: () => [],
        turn: () => ['go'],
        decode: (line) => ({
          events: [
            line === 'ask'
              ? { type: 'approval_request', requestId: 'q', toolName: 'Bash', title: 'ls', options: [] }
              : { type: 'turn_end', status: 'completed' },
          ],
        }),
        resolve: (_request, answer) => [JSON.stringify(answer)],
      },
    });
    const onApprovalRequest = () => ({ decision: 'allow', updatedInput: deep() }) as const;
    const handle = bench.use(adapter).run({ onApprovalRequest });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'approval_resolved')).toMatchObject([{ outcome: 'denied', by: 'policy' }]);
    expect(typed(events, 'error')).toMatchObject([
      { recoverable: true, message: expect.stringContaining('codec.resolve()') },
    ]);
    expect(await handle).toMatchObject({ exitReason: 'completed' });
  });

  it('is written as JSON, cut where it is too deep', () => {
    const json = toJson({ input: deep(), other: 1 });
    expect(json).toContain(TOO_DEEP);
    expect(JSON.parse(json)).toMatchObject({ other: 1 });
    expect(toJson({ a: [1] }, 2)).toBe(JSON.stringify({ a: [1] }, null, 2));
  });
});
