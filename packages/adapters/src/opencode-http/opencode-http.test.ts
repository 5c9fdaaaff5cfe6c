import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { createClient, type RunOptions } from '@agent-mux/core';
import { afterEach, describe, expect, it } from 'vitest';
import { openCodeHttpAdapter } from './index.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

async function listen(handle: Handler): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    handle(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function run(baseUrl: string, more: Partial<RunOptions> = {}) {
  const client = createClient({ adapters: [openCodeHttpAdapter], env: {}, runIndex: false });
  closers.push(() => client.close());
  return client.run({
    agent: 'opencode-http',
    prompt: 'hello',
    cwd: tmpdir(),
    env: { OPENCODE_BASE_URL: baseUrl },
    ...more,
  });
}

/** As much of the real server as a turn needs; a prompt is never answered. */
async function busyServer(): Promise<{ url: string; seen: string[]; auth: Set<string> }> {
  const seen: string[] = [];
  const auth = new Set<string>();
  let stream: ServerResponse | undefined;
  const emit = (type: string, properties: unknown) =>
    stream?.write(`data: ${JSON.stringify({ type, properties })}\n\n`);
  const url = await listen((request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    seen.push(`${request.method} ${path}`);
    auth.add(request.headers.authorization ?? '');
    if (path === '/event') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      emit('server.connected', {});
    } else if (path === '/global/health') json(response, 200, { healthy: true, version: '1.18.33' });
    else if (path === '/agent') json(response, 200, []);
    else if (path === '/session') json(response, 200, { id: 'ses_1' });
    else if (path.endsWith('/prompt_async')) {
      response.writeHead(204).end();
      emit('session.status', { sessionID: 'ses_1', status: { type: 'busy' } });
      emit('message.updated', { sessionID: 'ses_1', info: { id: 'msg_1', role: 'assistant', time: { created: 1 } } });
    } else json(response, 200, true);
  });
  return { url, seen, auth };
}

describe('external server', () => {
  it('is installed only if a server answers', async () => {
    const detect = async (baseUrl: string) => {
      const client = createClient({
        adapters: [openCodeHttpAdapter],
        env: { OPENCODE_BASE_URL: baseUrl },
        runIndex: false,
      });
      closers.push(() => client.close());
      const found = await client.adapters.detect('opencode-http');
      return [found?.installed, found?.version];
    };
    const healthy = await listen((_, response) => json(response, 200, { healthy: true, version: '1.18.33' }));
    const guarded = await listen((_, response) => json(response, 401, {}));
    const other = await listen((_, response) => json(response, 200, { hello: 'world' }));
    expect(await detect(healthy)).toEqual([true, '1.18.33']);
    expect(await detect(guarded)).toEqual([true, null]);
    expect(await detect(other)).toEqual([false, null]);
    expect(await detect('http://127.0.0.1:9')).toEqual([false, null]);
    expect(await detect('no url')).toEqual([false, null]);
  });

  it('is reported as missing if nothing listens', async () => {
    const url = await listen(() => {});
    await closers.pop()?.();
    const result = await run(url);
    expect(result.error).toMatchObject({ code: 'NETWORK_ERROR', message: expect.stringContaining('ECONNREFUSED') });
  });

  it('is reported as rejecting the password', async () => {
    const url = await listen((_, response) => response.writeHead(401).end());
    const result = await run(url);
    expect(result).toMatchObject({ exitReason: 'auth_error', error: { code: 'AUTH_ERROR' } });
    expect(result.error?.message).toContain('password');
  });

  it('is rejected if it is another server', async () => {
    const url = await listen((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'));
    expect((await run(url)).error).toMatchObject({ code: 'PROTOCOL_ERROR' });
  });

  it('gets the password and the abort of a run', async () => {
    const { url, seen, auth } = await busyServer();
    const handle = run(url, { env: { OPENCODE_BASE_URL: url, OPENCODE_SERVER_PASSWORD: 'pw' } });
    for await (const event of handle) if (event.type === 'message_start') void handle.abort('enough');
    expect((await handle.result).exitReason).toBe('aborted');
    expect(seen).toContain('POST /session/ses_1/abort');
    expect([...auth]).toEqual([`Basic ${Buffer.from('opencode:pw').toString('base64')}`]);
  });

  describe('MCP servers of a run', () => {
    const mcpServers = {
      files: { command: 'serve', args: ['.'] },
      web: { type: 'http' as const, url: 'http://127.0.0.1:9' },
    };
    /** Answers a prompt at once; records requests about MCP servers. */
    async function mcpServer(known: Record<string, { status: string }>, added: (name: string) => unknown) {
      const requests: unknown[] = [];
      let stream: ServerResponse | undefined;
      const emit = (type: string, properties: unknown) =>
        stream?.write(`data: ${JSON.stringify({ type, properties })}\n\n`);
      const url = await listen((request, response, body) => {
        const path = request.url?.split('?')[0] ?? '';
        if (path === '/event') {
          stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
          emit('server.connected', {});
        } else if (path === '/global/health') json(response, 200, { healthy: true, version: '1.18.33' });
        else if (path === '/agent') json(response, 200, []);
        else if (path === '/session') json(response, 200, { id: 'ses_1' });
        else if (path === '/mcp' && request.method === 'GET') json(response, 200, known);
        else if (path === '/mcp') {
          const { name, config } = JSON.parse(body);
          requests.push([name, config]);
          json(response, 200, { ...known, [name]: added(name) });
        } else if (path.startsWith('/mcp/')) {
          requests.push(path);
          json(response, 200, true);
        } else if (path.endsWith('/prompt_async')) {
          requests.push('prompt');
          response.writeHead(204).end();
          const info = { id: 'msg_1', role: 'assistant', time: { created: 1, completed: 2 } };
          emit('session.status', { sessionID: 'ses_1', status: { type: 'busy' } });
          emit('message.updated', { sessionID: 'ses_1', info });
          emit('session.idle', { sessionID: 'ses_1' });
        } else json(response, 200, true);
      });
      return { url, requests };
    }

    it('are added before the prompt and removed afterwards', async () => {
      const { url, requests } = await mcpServer({ mine: { status: 'connected' }, web: { status: 'disabled' } }, () => ({
        status: 'connected',
      }));
      expect(await run(url, { mcpServers })).toMatchObject({ exitReason: 'completed' });
      expect(requests).toEqual([
        ['files', { type: 'local', command: ['serve', '.'], enabled: true }],
        ['web', { type: 'remote', url: 'http://127.0.0.1:9', enabled: true }],
        'prompt',
        '/mcp/files/disconnect',
        '/mcp/web/disconnect',
      ]);
    });

    it('are refused if the name is in use, which is left alone', async () => {
      const { url, requests } = await mcpServer({ web: { status: 'connected' } }, () => ({ status: 'connected' }));
      const result = await run(url, { mcpServers });
      expect(result.error).toMatchObject({ code: 'CONFIG_ERROR', message: expect.stringContaining('"web"') });
      expect(requests).toEqual([]);
    });

    it('are reported if one cannot be started', async () => {
      const { url, requests } = await mcpServer({}, () => ({ status: 'failed', error: 'ENOENT' }));
      const result = await run(url, { mcpServers });
      expect(result.error).toMatchObject({ code: 'CONFIG_ERROR', message: expect.stringContaining('ENOENT') });
      expect(requests).toEqual([['files', expect.anything()], '/mcp/files/disconnect']);
    });
  });
});
