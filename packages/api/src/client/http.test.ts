import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { AgentMuxError } from '@agent-mux/core/light';
import { afterEach, describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { createDaemonClient } from './daemon-client.ts';
import { createHttp, type Http } from './http.ts';
import { readStream } from './sse.ts';

const servers: Server[] = [];
const opened: Http[] = [];
afterEach(async () => {
  for (const http of opened.splice(0)) http.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(listener: RequestListener): Promise<{ url: string; http: Http; server: Server }> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createHttp(async () => ({ url, token: 'the-token' }));
  opened.push(http);
  return { url, http, server };
}

const problem = (code: string, status: number, more: object = {}): RequestListener => {
  const body = { type: 'about:blank', title: code, status, detail: `the daemon says ${code}`, code, ...more };
  return (_, response) =>
    response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
};

describe('HTTP call', () => {
  it('sends token, path, query and body, and returns the parsed response', async () => {
    const { http } = await serve(async (request, response) => {
      const { method, url, headers } = request;
      const { authorization, accept, 'content-type': type } = headers;
      response.end(JSON.stringify({ method, url, authorization, accept, type, body: await text(request) }));
    });
    const call = { method: 'POST', path: '/a b', query: { q: 'ü&', none: undefined, n: 1 }, body: { x: 1 } } as const;
    expect(await http.json(call)).toEqual({
      method: 'POST',
      url: '/api/v1/a%20b?q=%C3%BC%26&n=1',
      authorization: 'Bearer the-token',
      accept: 'application/json',
      type: 'application/json',
      body: '{"x":1}',
    });
  });

  it('returns undefined without content', async () => {
    const { http } = await serve((_, response) => response.writeHead(204).end());
    expect(await createDaemonClient(http).sessions.remove('s1')).toBeUndefined();
  });

  it.each([
    ['NOT_FOUND', 404, 'SESSION_NOT_FOUND'],
    ['AMBIGUOUS_ID', 409, 'SESSION_NOT_FOUND'],
    ['NO_ACTIVE_TURN', 409, 'RUN_ENDED'],
    ['REQUEST_CLOSED', 409, 'VALIDATION_ERROR'],
    ['CAPABILITY_ERROR', 422, 'CAPABILITY_ERROR'],
    ['AGENT_NOT_INSTALLED', 422, 'AGENT_NOT_INSTALLED'],
    ['UNAUTHORIZED', 401, 'AUTH_ERROR'],
    ['TOO_MANY_SESSIONS', 429, 'RATE_LIMITED'],
    ['OF_A_LATER_VERSION', 418, 'VALIDATION_ERROR'],
  ])('maps a rejection with %s to the error family', async (code, status, family) => {
    const issues = [{ field: 'agent', problem: 'is not known' }];
    const { http } = await serve(problem(code, status, { hint: 'do this', issues }));
    const error = await http.json({ path: '/x' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(AgentMuxError);
    const expected = { message: `the daemon says ${code}`, hint: 'do this', issues };
    expect(error).toMatchObject({ code: family, problem: code, status, retryable: false, ...expected });
  });

  it('reports a response of another server by its status', async () => {
    const { http } = await serve((_, response) => response.writeHead(502).end('<html>'));
    const error = { code: 'SERVER_ERROR', problem: 'HTTP_502', status: 502 };
    await expect(http.json({ path: '/x' })).rejects.toMatchObject(error);
  });

  it('marks transient errors as retryable', async () => {
    const { http } = await serve(problem('NOT_READY', 503));
    await expect(http.json({ path: '/x' })).rejects.toMatchObject({ retryable: true, sent: false });
  });

  it('reports that nothing was sent if the server is unreachable', async () => {
    const { http, server } = await serve(() => {});
    server.close();
    const error = { code: 'NETWORK_ERROR', problem: 'UNREACHABLE', sent: false, retryable: true };
    await expect(http.json({ path: '/x' })).rejects.toMatchObject(error);
  });

  it('reaches a restarted daemon at its new address, also with a POST', async () => {
    const [first, second] = [
      await serve((_, response) => response.end('1')),
      await serve((_, response) => response.end('2')),
    ];
    let url = first.url;
    const http = createHttp(async () => ({ url }));
    opened.push(http);
    expect(await http.json({ path: '/x' })).toBe(1);
    await new Promise((resolve) => {
      first.server.close(resolve);
      first.server.closeAllConnections();
    });
    url = second.url;
    expect(await http.json({ method: 'POST', path: '/x', body: {} })).toBe(2);
  });

  it('fails after its timeout', async () => {
    const { http } = await serve(() => {});
    const error = { code: 'TIMEOUT', problem: 'NO_ANSWER', message: expect.stringContaining('GET /x') };
    await expect(http.json({ path: '/x', timeoutMs: 20 })).rejects.toMatchObject(error);
  });

  it('fails at once when aborted', async () => {
    const controller = new AbortController();
    const { http } = await serve(() => controller.abort());
    await expect(http.json({ path: '/x', signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('rejects a truncated response', async () => {
    const { http } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"half":', () => response.destroy());
    });
    await expect(http.json({ path: '/x' })).rejects.toMatchObject({ problem: 'NO_ANSWER', retryable: true });
  });

  it('reuses a connection, and opens a new one if it was closed', async () => {
    let connections = 0;
    const { http, server } = await serve((_, response) => response.end('1'));
    server.on('connection', () => void connections++);
    for (let i = 0; i < 3; i += 1) await http.json({ path: '/x' });
    expect(connections).toBe(1);
    server.closeAllConnections();
    expect(await http.json({ path: '/x' })).toBe(1);
    expect(connections).toBe(2);
  });

  it('does not keep the program alive after the response', async () => {
    const { url } = await serve((_, response) => response.end('{"status":"ok"}'));
    const program = `import { connectTo } from '@agent-mux/api';
      const client = connectTo({ at: { url: '${url}' } });
      console.log((await client.health()).status);`;
    const flags = ['--conditions=agent-mux-source', '--disable-warning=ExperimentalWarning', '--input-type=module'];
    const child = spawn(process.execPath, [...flags, '-e', program], { cwd: import.meta.dirname });
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect([said.trim(), code]).toEqual(['ok', 0]);
  });
});

describe('event stream', () => {
  it('resumes after the last id over a new connection and drops duplicates', async () => {
    const requested: (string | null)[] = [];
    const { http } = await serve(({ url }, response) => {
      const after = new URL(url ?? '', 'http://x').searchParams.get('after');
      requested.push(after);
      const numbers = after === '-1' ? [0, 1] : [0, 1, 2, 3];
      for (const number of numbers) response.write(`id: ${number}\ndata: ${number}\n\n`);
      response.write('id: 9\ndata: torn', () => response.destroy());
    });
    const seen: number[] = [];
    for await (const batch of readStream<number>(http, { path: '/x' }, { after: -1 })) {
      seen.push(...batch.map(({ value }) => value));
      if (seen.length === 4) break;
    }
    expect(seen).toEqual([0, 1, 2, 3]);
    expect(requested.slice(0, 2)).toEqual(['-1', '1']);
  });

  it('closes the connection when its reader stops', async () => {
    const { http, server } = await serve((_, response) => void response.write('id: 0\ndata: 0\n\n'));
    for await (const _batch of readStream(http, { path: '/x' }, { after: -1 })) break;
    const connections = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    await expect.poll(connections).toBe(0);
  });

  it('ends without an error when aborted', async () => {
    const controller = new AbortController();
    const { http } = await serve((_, response) => void response.write(': here\n\n', () => controller.abort()));
    for await (const _batch of readStream(http, { path: '/x' }, { after: -1, signal: controller.signal })) break;
    expect(controller.signal.aborted).toBe(true);
  });

  it('fails on a rejection without a retry', async () => {
    let requested = 0;
    const { http } = await serve((request, response) => {
      requested += 1;
      problem('NOT_FOUND', 404)(request, response);
    });
    await expect(readStream(http, { path: '/x' }, { after: -1 }).next()).rejects.toMatchObject({
      problem: 'NOT_FOUND',
    });
    expect(requested).toBe(1);
  });

  it('ends only with the launch, not when the daemon stops', async () => {
    let connections = 0;
    const { http } = await serve((_, response) => {
      connections += 1;
      const type = connections === 1 ? 'text_delta' : 'run_result';
      response.end(`id: ${connections}\ndata: ${JSON.stringify({ type, seq: connections })}\n\n`);
    });
    const types: string[] = [];
    for await (const { type } of createDaemonClient(http).sessions.follow('s1', { until: 'end' })) types.push(type);
    expect(types).toEqual(['text_delta', 'run_result']);
  });

  it('reads ahead no more than one chunk of the socket', async () => {
    let written = 0;
    const { http } = await serve(async (_, response) => {
      const line = `data: "${'x'.repeat(1000)}"\n\n`;
      const gone = once(response, 'close');
      for (; !response.closed && written < 50_000; written += 1) {
        if (response.write(`id: ${written}\n${line}`)) continue;
        await Promise.race([new Promise((resolve) => response.once('drain', resolve)), gone]);
      }
    });
    const stream = readStream<string>(http, { path: '/x' }, { after: -1 });
    const { value: first = [] } = await stream.next();
    let before = -1;
    await expect
      .poll(
        () => {
          const isSteady = written === before;
          before = written;
          return isSteady;
        },
        { interval: 200, timeout: 10_000 },
      )
      .toBe(true);
    expect(first.length).toBeLessThan(200);
    expect(written).toBeLessThan(25_000);
    await stream.return();
  });
});
