import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { define, eventsOf, typed, useEngine } from '../../test/engine.ts';
import { httpProfile } from './http.ts';

interface Seen {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

const seen: Seen[] = [];
/** Requests to a server that no definition names. */
const strayed: (string | undefined)[] = [];
let server: Server;
let other: Server;
let base: string;
let otherUrl: string;

/** The answer of each path. */
const ROUTES: Record<string, (response: ServerResponse) => void> = {
  '/sse': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const word of ['Hel', 'lo'])
      response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: word } }] })}\n\n`);
    response.end('data: [DONE]\n\n');
  },
  '/lines': (response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.end('{"text":"one "}\n{"text":"two"}\n');
  },
  '/json': (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ message: { content: 'whole' } }, null, 2));
  },
  '/plain': (response) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
    response.write('first, ');
    setImmediate(() => response.end('then zweite Hälfte'));
  },
  '/broken': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('data: {"text":"so far"}\n\ndata: {"error":{"message":"out of luck"}}\n\n');
  },
  '/401': (response) => response.writeHead(401).end('{"error":{"message":"bad key"}}'),
  '/429': (response) => response.writeHead(429, { 'retry-after': '120' }).end('slow down'),
  '/503': (response) => response.writeHead(503).end(),
  '/never': () => {},
  '/redirect': (response) => response.writeHead(307, { location: '/plain' }).end(),
  '/see-other': (response) => response.writeHead(303, { location: '/plain' }).end(),
  '/around': (response) => response.writeHead(307, { location: '/around' }).end(),
  '/other': (response) => response.writeHead(307, { location: `${otherUrl}/plain` }).end(),
  '/upgraded': (response) => response.writeHead(308, { location: base.replace('http:', 'https:') }).end(),
  '/named': (response) => response.writeHead(302, { location: base.replace('127.0.0.1', 'localhost') }).end(),
  '/odd': (response) => response.writeHead(302, { location: 'data:text/plain,hello' }).end(),
  '/bomb-gzip': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(HUGE)));
  },
  '/bomb-br': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'br' });
    response.end(brotliCompressSync(Buffer.alloc(HUGE), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }));
  },
  '/bomb-error': (response) => {
    response.writeHead(500, { 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(HUGE)));
  },
  '/endless-json': (response) => flood(response, 'application/json'),
  '/endless-line': (response) => flood(response, 'application/x-ndjson'),
  '/endless-event': (response) => flood(response, 'text/event-stream', 'data: '),
  '/endless-events': (response) => flood(response, 'text/event-stream', 'data: x\n'.repeat(100), 'data: x\n'),
  '/endless-headers': (response) => {
    const { socket } = response;
    socket?.on('error', () => {});
    socket?.write('HTTP/1.1 200 OK\r\n');
    const more = () =>
      void (socket?.writable && socket.write(`x-${'y'.repeat(60_000)}: z\r\n`, () => setImmediate(more)));
    more();
  },
};

/** Zeros only, so that the compressed size is a thousandth. */
const HUGE = 64 * 1024 * 1024;

/** Continues until the client disconnects. */
function flood(response: ServerResponse, type: string, head = '', unit = 'x'): void {
  response.writeHead(200, { 'content-type': type });
  response.write(head);
  const chunk = unit.repeat(Math.floor(100_000 / unit.length));
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
}

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body });
      ROUTES[new URL(request.url ?? '', base).pathname]?.(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  other = createServer((request, response) => {
    strayed.push(request.url);
    response.end('gotcha');
  });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
});
afterAll(() => {
  for (const one of [server, other]) {
    one.closeAllConnections();
    one.close();
  }
});

const engine = useEngine(() => [
  ...Object.keys(ROUTES).map((path) => define(httpProfile, path.slice(1), { base_url: base + path, timeout: '20s' })),
  define(httpProfile, 'late', { base_url: `${base}/never`, timeout: '300ms' }),
  define(httpProfile, 'unreachable', { base_url: 'http://127.0.0.1:1/' }),
  define(httpProfile, 'text', {
    base_url: `${base}/plain?a=b`,
    method: 'put',
    headers: { 'Content-Type': 'text/plain', Authorization: 'Bearer $' + '{env:PATH}' },
  }),
  define(httpProfile, 'get', { base_url: `${base}/plain?a=b`, method: 'GET' }),
  define(httpProfile, 'no-key', {
    base_url: `${base}/plain`,
    headers: { Authorization: '$' + '{env:NO_SUCH_VARIABLE}' },
  }),
]);

const ask = (agent: string, more = {}) => engine.client.run({ agent, prompt: 'hi & bye', ...more });
const lastSeen = () => seen.at(-1);

describe('generic HTTP agent', () => {
  it.each([
    ['sse', ['Hel', 'lo']],
    ['lines', ['one ', 'two']],
    ['json', ['whole']],
  ])('streams an answer that comes as %s', async (agent, deltas) => {
    const handle = ask(agent);
    const events = await eventsOf(handle);
    expect(typed(events, 'text_delta').map(({ delta }) => delta)).toEqual(deltas);
    expect(await handle).toMatchObject({ exitReason: 'completed', text: deltas.join('') });
  });

  it('passes plain text through unchanged', async () => {
    expect(await ask('plain')).toMatchObject({ text: 'first, then zweite Hälfte' });
  });

  it('sends the message as JSON, with the run as its session', async () => {
    await ask('plain', { runId: 'run-1' });
    expect(lastSeen()).toMatchObject({ method: 'POST', url: '/plain', body: '{"message":"hi & bye"}' });
    expect(lastSeen()?.headers).toMatchObject({ 'content-type': 'application/json', 'agent-mux-session': 'run-1' });
  });

  it('sends text if the definition says so, and resolves variables in its headers', async () => {
    await ask('text');
    expect(lastSeen()).toMatchObject({ method: 'PUT', url: '/plain?a=b', body: 'hi & bye' });
    expect(lastSeen()?.headers).toMatchObject({
      'content-type': 'text/plain',
      authorization: `Bearer ${process.env.PATH}`,
    });
  });

  it('puts the message into the URL for GET', async () => {
    await ask('get');
    expect(lastSeen()).toMatchObject({ method: 'GET', url: '/plain?a=b&message=hi%20%26%20bye', body: '' });
  });

  it('sends a request for every turn', async () => {
    const before = seen.length;
    const handle = ask('plain');
    for await (const event of handle) {
      if (event.type === 'turn_end' && event.turnIndex === 0) await handle.send('again');
    }
    expect(seen.slice(before).map(({ body }) => body)).toEqual(['{"message":"hi & bye"}', '{"message":"again"}']);
  });

  it.each([
    ['401', { exitReason: 'auth_error', error: { code: 'AUTH_ERROR', message: 'the server answered 401: bad key' } }],
    [
      '429',
      { exitReason: 'rate_limited', error: { code: 'RATE_LIMITED', message: 'the server answered 429: slow down' } },
    ],
    ['503', { exitReason: 'failed', error: { code: 'SERVER_ERROR' } }],
    ['broken', { exitReason: 'failed', text: 'so far', error: { code: 'AGENT_ERROR', message: 'out of luck' } }],
    ['late', { exitReason: 'timeout', error: { code: 'TIMEOUT' } }],
    ['unreachable', { exitReason: 'failed', error: { code: 'NETWORK_ERROR' } }],
  ])('ends with a typed error: %s', async (agent, expected) => {
    expect(await ask(agent)).toMatchObject(expected);
  });

  it('reports the reset time of a limit', async () => {
    const [limit] = typed(await eventsOf(ask('429')), 'rate_limit_error');
    expect(limit?.retryAfterMs).toBe(120_000);
    expect(limit?.resetsAt).toBeGreaterThan(Date.now() + 100_000);
  });

  it('sends nothing if a variable for a header is missing', async () => {
    const before = seen.length;
    await expect(ask('no-key').result).rejects.toThrow(/http\.headers\.Authorization: .*NO_SUCH_VARIABLE is not set/);
    expect(seen).toHaveLength(before);
  });

  it('can be aborted while it waits', async () => {
    const handle = ask('never');
    const connected = new Promise<void>((resolve) => handle.once('turn_start', () => resolve()));
    await Promise.race([connected, new Promise((resolve) => server.once('request', resolve))]);
    expect(await handle.abort()).toMatchObject({ exitReason: 'aborted' });
  });
});

describe('server that redirects', () => {
  it('is followed within its origin, with the message if the status requires it', async () => {
    expect(await ask('redirect')).toMatchObject({ exitReason: 'completed', text: 'first, then zweite Hälfte' });
    expect(lastSeen()).toMatchObject({ method: 'POST', url: '/plain', body: '{"message":"hi & bye"}' });
    expect(await ask('see-other')).toMatchObject({ exitReason: 'completed' });
    expect(lastSeen()).toMatchObject({ method: 'GET', url: '/plain', body: '' });
  });

  it('fails with both names if it redirects to another server, which gets nothing', async () => {
    const { error } = await ask('other');
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', message: expect.stringContaining(base) });
    expect(error?.message).toContain(otherUrl);
    expect(strayed).toEqual([]);
  });

  it.each(['upgraded', 'named', 'odd'])('fails if it redirects to another scheme or name: %s', async (agent) => {
    const { error } = await ask(agent);
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', message: expect.stringContaining('another origin') });
  });

  it('fails if it redirects in circles', async () => {
    expect((await ask('around')).error?.message).toContain('redirects more than 5 times');
  });
});

describe('server that never stops', () => {
  it.each([
    ['bomb-gzip', 'the answer is longer than'],
    ['bomb-br', 'the answer is longer than'],
    ['bomb-error', 'the answer is longer than'],
    ['endless-json', 'the answer is longer than'],
    ['endless-line', 'a line of the response is longer than'],
    ['endless-event', 'an event of the response is longer than'],
    ['endless-events', 'an event of the response is longer than'],
    ['endless-headers', 'Headers Overflow'],
  ])('is cut off: %s', async (agent, words) => {
    expect((await ask(agent)).error).toMatchObject({ code: 'NETWORK_ERROR', message: expect.stringContaining(words) });
  });
});
