import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openRequest, type ServedApi, serveApi, TOKEN } from '../../test/served-api.ts';

const IDLE_MS = 500;
let api: ServedApi;
const sockets: Socket[] = [];
beforeAll(async () => {
  api = await serveApi({ headersMs: 300, requestMs: 600, checkMs: 50, idleMs: IDLE_MS, connections: 20 });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => api.stop());

const SESSIONS = '/api/v1/sessions';

/** Sends raw bytes and collects the response until the server closes. */
function say(port: number, text: string): { socket: Socket; received: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  const received = new Promise<string>((resolve) => {
    let all = '';
    socket.setEncoding('latin1');
    socket.on('data', (part) => {
      all += part;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(all));
  });
  socket.write(text);
  return { socket, received };
}

const head = (line: string, ...more: string[]) =>
  [line, `Host: 127.0.0.1:${api.port}`, `Authorization: Bearer ${TOKEN}`, ...more, '', ''].join('\r\n');

function problemOf(received: string): { status: string; code: unknown } {
  const [first = '', ...rest] = received.split('\r\n');
  expect(rest.join('\n')).toContain('content-type: application/problem+json');
  return { status: first.split(' ')[1]!, code: JSON.parse(rest.at(-1)!).code };
}

describe('request bodies', () => {
  test('are refused if too large, with or without Content-Length', async () => {
    const long = JSON.stringify({ title: 'x'.repeat(1_000_001) });
    for (const headers of [{ 'content-length': `${long.length}` }, { 'transfer-encoding': 'chunked' }]) {
      const answer = await api.ask(`${SESSIONS}/one`, {
        method: 'PATCH',
        body: long,
        headers: { 'content-type': 'application/json', ...headers },
      });
      expect([answer.status, answer.json().code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    }
  });

  test('are refused immediately if Content-Length is too large', async () => {
    const { received } = say(
      api.port,
      head(
        `POST ${SESSIONS} HTTP/1.1`,
        'Content-Type: application/json',
        'Content-Length: 99999999999',
        'Connection: close',
      ),
    );
    expect(problemOf(await received)).toEqual({ status: '413', code: 'PAYLOAD_TOO_LARGE' });
  });

  test('are refused if nested too deeply', async () => {
    for (const body of [
      '['.repeat(400_000),
      `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
      `{"options":${'['.repeat(65)}${']'.repeat(65)}}`,
    ]) {
      const answer = await api.ask(SESSIONS, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      expect([answer.status, answer.json().code]).toEqual([400, 'BAD_REQUEST']);
    }
    const flat = JSON.stringify({ text: '[{'.repeat(1000), id: 'flat' });
    const fine = await api.ask(`${SESSIONS}/one/messages`, {
      method: 'POST',
      body: flat,
      headers: { 'content-type': 'application/json' },
    });
    expect(fine.status).toBe(202);
  });

  test('are refused if not JSON by content type', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      'text/json',
      '',
    ]) {
      const answer = await api.ask(`${SESSIONS}/one/stop`, {
        method: 'POST',
        body: '{}',
        headers: type ? { 'content-type': type } : {},
      });
      expect([type, answer.status, answer.json().code]).toEqual([type, 415, 'UNSUPPORTED_MEDIA_TYPE']);
    }
  });

  test('are refused if not valid JSON or UTF-8', async () => {
    for (const body of ['{', 'undefined', '{"a":1}x', Buffer.from([0x7b, 0xff, 0x7d])]) {
      const answer = await api.ask(SESSIONS, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      expect([answer.status, answer.json().code]).toEqual([400, 'BAD_REQUEST']);
    }
  });

  test('report all issues with their fields', async () => {
    const answer = await api.ask(SESSIONS, { method: 'POST', body: { agent: 7, tags: ['a\nb'], unknown: 1 } });
    expect(answer.status).toBe(422);
    const { issues, code } = answer.json() as { code: string; issues: { field: string }[] };
    expect(code).toBe('VALIDATION_ERROR');
    expect(issues.map(({ field }) => field).sort()).toEqual(['', 'agent', 'cwd', 'tags.0']);
  });

  test('cannot pollute prototypes', async () => {
    const body = '{"agent":"demo","cwd":"/x","options":{"__proto__":{"polluted":true}},"env":{"__proto__":"x"}}';
    await api.ask(SESSIONS, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    expect('polluted' in {}).toBe(false);
  });
});

describe('URLs', () => {
  test('are refused with unknown, repeated or invalid query parameters', async () => {
    for (const query of ['nope=1', 'limit=1&limit=2', 'limit=0', 'limit=x', 'pinned=perhaps']) {
      const answer = await api.ask(`${SESSIONS}?${query}`);
      expect([query, answer.status, answer.json().code]).toEqual([query, 422, 'VALIDATION_ERROR']);
    }
    expect((await api.ask('/api/v1/inbox?x=1')).status).toBe(422);
  });

  test('are refused with a problem document if invalid', async () => {
    for (const line of [
      'GET nowhere HTTP/1.1',
      'GET http://evil.example/ HTTP/1.1',
      'GET /a\\b HTTP/1.1',
      'OPTIONS * HTTP/1.1',
      'GET //evil.example/ HTTP/1.1',
    ]) {
      const { received } = say(api.port, head(line, 'Connection: close'));
      expect([line, Number(problemOf(await received).status)]).toEqual([
        line,
        line.includes('//evil') && !line.includes('http:') ? 404 : 400,
      ]);
    }
  });

  test('are refused without a host or with two', async () => {
    const { received } = say(api.port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(problemOf(await received).status).toBe('400');
    const two = say(api.port, head('GET / HTTP/1.1', 'Host: evil.example', 'Connection: close'));
    expect(['400', '403']).toContain(problemOf(await two.received).status);
  });
});

describe('methods', () => {
  test('are refused with a list of the allowed ones', async () => {
    const answer = await api.ask(`${SESSIONS}/one`, { method: 'PUT', body: {} });
    expect([answer.status, answer.json().code, answer.headers.allow]).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
      'GET, HEAD, PATCH, DELETE, OPTIONS',
    ]);
    for (const method of ['TRACE', 'PROPFIND', 'QUERY', 'DELETE']) {
      const odd = await api.ask(SESSIONS, { method });
      expect([method, odd.status, odd.headers.allow]).toEqual([method, 405, 'GET, HEAD, POST, OPTIONS']);
    }
    expect((await api.ask('/docs', { method: 'POST', body: {} })).status).toBe(405);
  });

  test('OPTIONS lists allowed methods and HEAD matches GET', async () => {
    const options = await api.ask(SESSIONS, { method: 'OPTIONS' });
    expect([options.status, options.headers.allow, options.text]).toEqual([204, 'GET, HEAD, POST, OPTIONS', '']);
    const answer = await api.ask(SESSIONS, { method: 'HEAD' });
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, 'application/json', '']);
    expect((await api.ask(`${SESSIONS}/none`, { method: 'HEAD' })).status).toBe(404);
  });

  test('CONNECT, upgrades and expectations are refused with a problem document', async () => {
    const cases: [string, string[], string][] = [
      ['CONNECT evil.example:80 HTTP/1.1', [], '405'],
      ['GET / HTTP/1.1', ['Connection: Upgrade', 'Upgrade: websocket'], '400'],
      ['GET / HTTP/1.1', ['Expect: miracles', 'Connection: close'], '417'],
    ];
    for (const [line, more, status] of cases) {
      const { received } = say(api.port, head(line, ...more));
      expect([line, problemOf(await received).status]).toEqual([line, status]);
    }
  });
});

describe('slow or excessive clients', () => {
  test('are refused with oversized headers', async () => {
    const { received } = say(api.port, head('GET / HTTP/1.1', `X-Long: ${'x'.repeat(20_000)}`));
    expect(problemOf(await received)).toEqual({ status: '431', code: 'PAYLOAD_TOO_LARGE' });
    const many = say(api.port, head('GET / HTTP/1.1', ...Array.from({ length: 5_000 }, (_, at) => `x${at}: 1`)));
    expect(problemOf(await many.received).status).toBe('431');
  });

  test('time out while sending headers', async () => {
    const { received } = say(api.port, 'GET / HTTP/1.1\r\nHost: 127');
    expect(problemOf(await received).status).toBe('408');
  });

  test('time out while sending a body', async () => {
    const { socket, received } = say(
      api.port,
      head(`POST ${SESSIONS} HTTP/1.1`, 'Content-Type: application/json', 'Content-Length: 100'),
    );
    const drip = setInterval(() => socket.write(' '), 50);
    const answer = await received;
    clearInterval(drip);
    expect(answer === '' || problemOf(answer).status === '408' || problemOf(answer).status === '400').toBe(true);
  });

  test('are disconnected if idle', async () => {
    const { received } = say(api.port, '');
    await received;
  });

  test('get an error for malformed HTTP', async () => {
    const { received } = say(api.port, 'SSH-2.0-hello\r\n\r\n');
    expect(problemOf(await received).status).toBe('400');
  });

  test('are refused ambiguous request framing', async () => {
    const smuggled = head(
      `POST ${SESSIONS} HTTP/1.1`,
      'Content-Type: application/json',
      'Content-Length: 4',
      'Transfer-Encoding: chunked',
    );
    const { received } = say(api.port, `${smuggled}0\r\n\r\n`);
    expect(problemOf(await received).status).toBe('400');
  });

  test('keep a quiet event stream', async () => {
    const sent = openRequest(api.port, `${SESSIONS}/one/events`, { headers: { accept: 'text/event-stream' } });
    let hasEnded = false;
    sent.on('response', (response) =>
      response
        .resume()
        .on('close', () => {
          hasEnded = true;
        })
        .on('error', () => {}),
    );
    sent.end();
    await expect.poll(() => api.service.waiting()).toBe(1);
    const start = performance.now();
    while (performance.now() - start < 2 * IDLE_MS) await say(api.port, '').received;
    expect(hasEnded).toBe(false);
    sent.destroy();
  });

  test('are disconnected for others while unauthenticated', async () => {
    const small = await serveApi({ connections: 2 });
    const open = [say(small.port, ''), say(small.port, '')];
    await Promise.all(open.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))));
    for (let at = 0; at < 5; at += 1) expect((await small.ask(SESSIONS)).status).toBe(200);
    await open[0]!.received;
    await small.stop();
  });

  test('keep authenticated connections when the limit is reached', async () => {
    const small = await serveApi({ connections: 2 });
    const streams = [1, 2].map(() =>
      say(
        small.port,
        [
          `GET /api/v1/changes HTTP/1.1`,
          `Host: 127.0.0.1:${small.port}`,
          `Authorization: Bearer ${TOKEN}`,
          'Accept: text/event-stream',
          '',
          '',
        ].join('\r\n'),
      ),
    );
    let answered = 0;
    for (const { socket } of streams) socket.once('data', () => (answered += 1));
    await expect.poll(() => answered).toBe(2);
    await expect(small.ask('/api/v1/health')).rejects.toThrow();
    streams[0]!.socket.destroy();
    const health = () =>
      small.ask('/api/v1/health').then(
        ({ status }) => status,
        () => 'refused',
      );
    await expect.poll(health).toBe(200);
    expect(streams[1]!.socket.destroyed).toBe(false);
    await small.stop();
  });

  test('cannot lock out others with 1,100 slow connections', { timeout: 120_000 }, async () => {
    const full = await serveApi();
    let isOver = false;
    let opened = 0;
    const flood = (at: number) => {
      const socket = connect(full.port, '127.0.0.1', () => (opened += 1));
      sockets.push(socket);
      socket.on('error', () => {});
      socket.write(
        [
          '',
          'GET',
          `GET /api/v1/health HTTP/1.1\r\nX: `,
          `POST /api/v1/browsers HTTP/1.1\r\nHost: 127.0.0.1:${full.port}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
        ][at % 4]!,
      );
      socket.on('close', () => {
        if (!isOver) setImmediate(flood, at);
      });
    };
    for (let at = 0; at < 1100; at += 1) flood(at);
    await expect.poll(() => opened, { timeout: 60_000 }).toBeGreaterThanOrEqual(1100);
    for (let at = 0; at < 30; at += 1) expect((await full.ask(SESSIONS)).status).toBe(200);
    isOver = true;
    for (const socket of sockets.splice(0)) socket.destroy();
    await full.stop();
  });
});
