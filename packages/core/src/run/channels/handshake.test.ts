import { describe, expect, it } from 'vitest';
import { nothingLeftOf, useBench } from '../../../test/engine.ts';
import { ScriptAdapter } from '../../../test/script-adapter.ts';
import type { EventBody } from '../../contract/events.ts';
import type { HttpLive, LiveFacet, StdioLive } from '../../contract/live.ts';
import { HANDSHAKE_LIMIT_MS, stepOf } from './handshake.ts';

const bench = useBench();
/** Enough for a process to start on a busy machine and say a word. */
const LIMIT_MS = 5000;
const PATIENCE = { timeout: 60_000 };

/** `initialize`, then `session/new`, then prompts; each is answered by a line of the same name. */
const stdio = (more: Partial<StdioLive> = {}): StdioLive => ({
  transport: 'stdio',
  sessionFirst: true,
  codec: {
    open: () => ({}),
    hello: () => ['{"method":"initialize"}'],
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

/** The prompt goes along with a hello, which is answered by no session: that comes with the model's answer. */
const allAtOnce = (): StdioLive => {
  const live = stdio({ sessionFirst: false, answersHello: true });
  const decode: StdioLive['codec']['decode'] = (line, state, context) =>
    line === 'initialize' ? { events: [] } : live.codec.decode(line, state, context);
  return { ...live, codec: { ...live.codec, decode } };
};

/** An agent that answers these messages at once, and `prompt` after so long. */
const answering = (known: readonly string[], promptMs = 0) => `
  console.error('waiting for the door to open');
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { method } = JSON.parse(line);
    if (${JSON.stringify(known)}.includes(method)) setTimeout(() => console.log(method), method === 'prompt' ? ${promptMs} : 0);
  });`;

/** A server that is reached where its first line says. */
const http: HttpLive = {
  transport: 'http',
  sessionFirst: true,
  codec: {
    open: () => ({}),
    hello: () => [{ tag: 'health', method: 'GET', path: '/health?x=1' }],
    turn: () => [],
    decode: (message) => {
      const said = message.kind === 'failed' ? message.message : undefined;
      const events: EventBody[] = said
        ? [{ type: 'error', code: 'NETWORK_ERROR', message: said, recoverable: false }]
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

async function outcome(code: string, live: LiveFacet) {
  const handle = bench.use(new ScriptAdapter(code, live), { handshakeTimeout: LIMIT_MS }).run();
  const { exitReason, error, text } = await handle;
  return { exitReason, message: error?.message, text, gone: nothingLeftOf(handle) };
}

describe.concurrent(
  'a handshake that is not answered ends in time, with its step and what stderr says',
  PATIENCE,
  () => {
    it('where the agent says nothing at all', async () => {
      expect(await outcome(answering([]), stdio())).toMatchObject({
        exitReason: 'timeout',
        message: 'Script agent has not answered "initialize" within 5 s; stderr says: waiting for the door to open',
        gone: true,
      });
    });

    it('where it opens no session', async () => {
      const { message } = await outcome(answering(['initialize']), stdio());
      expect(message).toMatch(/has not answered "session\/new" within 5 s; stderr says: waiting/);
    });

    it('where the prompt is sent along and the hello alone tells', async () => {
      const live = allAtOnce();
      expect(await outcome(answering([]), live)).toMatchObject({ exitReason: 'timeout', gone: true });
    });

    it('where a server never says where it listens', async () => {
      const { message, gone } = await outcome("console.error('port?'); setInterval(() => {}, 1000)", http);
      expect(message).toMatch(/the server has not said within 4\.5 s where it listens; stderr says: port\?/);
      expect(gone).toBe(true);
    });

    it('where a server listens and does not answer', async () => {
      const { message } = await outcome(SILENT_SERVER, http);
      expect(message).toBe('Script agent has not answered GET /health within 5 s; stderr says: out of luck');
    });
  },
);

describe.concurrent('a handshake that is answered', PATIENCE, () => {
  const known = ['initialize', 'session/new', 'prompt'];
  it.each([
    ['session first', stdio()],
    ['all at once', allAtOnce()],
  ])('leaves the first turn all its time: %s', async (_, live) => {
    const { exitReason, text } = await outcome(answering(known, LIMIT_MS + 1000), live);
    expect({ exitReason, text }).toEqual({ exitReason: 'completed', text: 'prompt' });
  });
});

describe('the limit', () => {
  it('is a minute', () => {
    expect(HANDSHAKE_LIMIT_MS).toBe(60_000);
  });

  it.each([
    ['{"jsonrpc":"2.0","id":1,"method":"initialize"}', '"initialize"'],
    ['{"type":"control_request","request":{"subtype":"initialize"}}', '"initialize"'],
    ['{"type":"get_state"}', '"get_state"'],
    ['{"id":1,"result":{}}', undefined],
    ['words', undefined],
    [{ tag: 't', method: 'POST', path: '/session?a=b' }, 'POST /session'],
  ])('names the step of %j', (message, step) => {
    expect(stepOf(message)).toBe(step);
  });
});
