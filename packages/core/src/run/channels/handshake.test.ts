import { describe, expect, it } from 'vitest';
import { nothingLeftOf, useBench } from '../../../test/engine.ts';
import { ScriptAdapter } from '../../../test/script-adapter.ts';
import type { EventBody } from '../../contract/events.ts';
import type { HttpLive, LiveSpec, StdioLive } from '../../contract/live.ts';
import { HANDSHAKE_LIMIT_MS, stepOf } from './handshake.ts';

const bench = useBench();
/** Enough for a process to start on a busy machine and print a line. */
const LIMIT_MS = 5000;
const TIMEOUT = { timeout: 60_000 };

/** `initialize`, then `session/new`, then prompts; each is answered by a line of the same name. */
const stdio = (more: Partial<StdioLive> = {}): StdioLive => ({
  transport: 'stdio',
  waitForSession: true,
  codec: {
    open: () => ({}),
    handshake: () => ['{"method":"initialize"}'],
    turn: () => ['{"method":"prompt"}'],
    decode: (line) => {
      if (line === 'initialize') return { events: [], replies: ['{"method":"session/new"}'] };
      if (line === 'session/new') return { events: [{ type: 'session_start', sessionId: 's' }] };
      return {
        events: [
          { type: 'text_delta', delta: line },
          { type: 'turn_end', status: 'completed' },
        ],
      };
    },
    resolve: () => [],
  },
  ...more,
});

/** Sends the prompt along with the hello; the session arrives only with the model's answer. */
const helloWithPrompt = (): StdioLive => {
  const live = stdio({ waitForSession: false, answersHandshake: true });
  const decode: StdioLive['codec']['decode'] = (line, state, context) =>
    line === 'initialize' ? { events: [] } : live.codec.decode(line, state, context);
  return { ...live, codec: { ...live.codec, decode } };
};

/** Agent script that answers these messages immediately, and `prompt` after a delay. */
const answering = (known: readonly string[], promptMs = 0) => `
  console.error('waiting for the door to open');
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { method } = JSON.parse(line);
    if (${JSON.stringify(known)}.includes(method)) setTimeout(() => console.log(method), method === 'prompt' ? ${promptMs} : 0);
  });`;

/** A server whose first line contains its address. */
const http: HttpLive = {
  transport: 'http',
  waitForSession: true,
  codec: {
    open: () => ({}),
    handshake: () => [{ tag: 'health', method: 'GET', path: '/health?x=1' }],
    turn: () => [],
    decode: (message) => {
      const failure = message.kind === 'failed' ? message.message : undefined;
      const events: EventBody[] = failure
        ? [{ type: 'error', code: 'NETWORK_ERROR', message: failure, recoverable: false }]
        : [];
      return { events };
    },
    resolve: () => [],
  },
  server: { readUrl: (line) => /listening on (\S+)/.exec(line)?.[1] },
};
const SILENT_SERVER = `console.error('out of luck');
  const server = require('node:http').createServer(() => {});
  server.listen(0, '127.0.0.1', () => console.log('listening on http://127.0.0.1:' + server.address().port));`;

async function outcome(code: string, live: LiveSpec) {
  const handle = bench.use(new ScriptAdapter(code, live), { handshakeTimeout: LIMIT_MS }).run();
  const { exitReason, error, text } = await handle;
  return { exitReason, message: error?.message, text, gone: nothingLeftOf(handle) };
}

describe.concurrent('unanswered handshake', TIMEOUT, () => {
  it('times out if the agent prints nothing', async () => {
    expect(await outcome(answering([]), stdio())).toMatchObject({
      exitReason: 'timeout',
      message: 'Script agent has not answered "initialize" within 5 s; stderr says: waiting for the door to open',
      gone: true,
    });
  });

  it('times out if no session opens', async () => {
    const { message } = await outcome(answering(['initialize']), stdio());
    expect(message).toMatch(/has not answered "session\/new" within 5 s; stderr says: waiting/);
  });

  it('times out if only the hello with the prompt is unanswered', async () => {
    const live = helloWithPrompt();
    expect(await outcome(answering([]), live)).toMatchObject({ exitReason: 'timeout', gone: true });
  });

  it('times out if a server never prints its address', async () => {
    const { message, gone } = await outcome("console.error('port?'); setInterval(() => {}, 1000)", http);
    expect(message).toMatch(/the server did not print its address within 4\.5 s; stderr says: port\?/);
    expect(gone).toBe(true);
  });

  it('times out if a server listens but does not answer', async () => {
    const { message } = await outcome(SILENT_SERVER, http);
    expect(message).toBe('Script agent has not answered GET /health within 5 s; stderr says: out of luck');
  });
});

describe.concurrent('answered handshake', TIMEOUT, () => {
  const known = ['initialize', 'session/new', 'prompt'];
  it.each([
    ['session first', stdio()],
    ['all at once', helloWithPrompt()],
  ])('gives the first turn its full time: %s', async (_, live) => {
    const { exitReason, text } = await outcome(answering(known, LIMIT_MS + 1000), live);
    expect({ exitReason, text }).toEqual({ exitReason: 'completed', text: 'prompt' });
  });
});

describe('handshake limit', () => {
  it('defaults to one minute', () => {
    expect(HANDSHAKE_LIMIT_MS).toBe(60_000);
  });

  it.each([
    ['{"jsonrpc":"2.0","id":1,"method":"initialize"}', '"initialize"'],
    ['{"type":"control_request","request":{"subtype":"initialize"}}', '"initialize"'],
    ['{"type":"get_state"}', '"get_state"'],
    ['{"id":1,"result":{}}', undefined],
    ['text', undefined],
    [{ tag: 't', method: 'POST', path: '/session?a=b' }, 'POST /session'],
  ])('names the step of %j', (message, step) => {
    expect(stepOf(message)).toBe(step);
  });
});
