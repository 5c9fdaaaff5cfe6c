import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertEventOrder } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { eventsOf, isAlive, next, nothingLeftOf, typed, until, useBench } from '../../../test/engine.ts';
import { ScriptAdapter } from '../../../test/script-adapter.ts';
import type { CoreClientOptions } from '../../client/client.ts';
import type { SpawnArgs } from '../../contract/adapter.ts';
import type { AgentEvent, EventBody } from '../../contract/events.ts';
import type { HttpLive, HttpServerSpec } from '../../contract/live.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';

const bench = useBench();

/** A server agent: sessions and prompts by POST, events by SSE. The prompt says what it does. */
const SERVER = `
  const http = require('node:http');
  const streams = new Map();
  const say = (id, body) => streams.get(id)?.write('data: ' + JSON.stringify(body) + '\\n\\n');
  const done = (id, text) => { say(id, { type: 'text_delta', delta: text }); say(id, { type: 'turn_end', status: 'completed' }); };
  const password = process.env.SERVER_PASSWORD;
  const server = http.createServer(async (request, response) => {
    if (request.headers.authorization !== 'Bearer ' + password) return response.writeHead(401).end('{"error":"who are you"}');
    const [, what, id] = request.url.split('/');
    if (what === 'health') return response.end('ok');
    if (what === 'events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      streams.set(id, response);
      return;
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    if (body.includes('hang up') && !body.includes('live on')) setTimeout(() => process.exit(6), 300);
    if (body.includes('hang up')) return request.socket.destroy();
    if (what === 'stream') {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      for (const delta of ['one ', 'two']) response.write(JSON.stringify({ type: 'text_delta', delta }) + '\\n');
      return response.end();
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id }));
    if (what === 'session') return say(id, { type: 'session_start', sessionId: id });
    if (what === 'bye') return;
    const { text } = JSON.parse(body || '{}');
    if (text === 'die') { console.error('last words'); process.exit(5); }
    if (text === 'cut') { streams.get(id).destroy(); streams.delete(id); setTimeout(() => done(id, 'after the cut'), 800); return; }
    if (text === 'silence') return;
    if (text === 'limit') return console.error('limit reached');
    if (text === 'file') return done(id, process.pid + ' ' + process.env.HELPER);
    done(id, text + ' ' + process.pid);
  });
  if (process.env.NEVER) setInterval(() => {}, 1000);
  else if (process.env.FAIL) { console.error('port is taken'); process.exit(3); }
  else server.listen(0, '127.0.0.1', () => console.log('noise\\nlistening on http://127.0.0.1:' + server.address().port + '/'));`;

interface State {
  id: string;
  greeted: boolean;
}
const post = (tag: string, path: string, body?: object) => ({ tag, method: 'POST', path, body });
function spec(server: Partial<HttpServerSpec> = {}): HttpLive {
  return {
    transport: 'http',
    waitForSession: true,
    codec: {
      open: (options): State => ({ id: options.runId, greeted: false }),
      handshake: () => [],
      turn: (input, { id }: State) =>
        input.text === 'stream'
          ? [{ ...post('stream', `/stream/${id}`), response: 'stream' as const }]
          : [post('turn', `/prompt/${id}`, { text: input.text })],
      decode: (message, state: State) => {
        if (message.kind === 'connected') {
          if (state.greeted) return { events: [{ type: 'debug', level: 'info', code: 'again', message: 'connected' }] };
          state.greeted = true;
          return { events: [], replies: [post('session', `/session/${state.id}`)] };
        }
        if (message.kind === 'event' || message.kind === 'chunk')
          return { events: [JSON.parse(message.data) as EventBody] };
        if (message.kind === 'reply' && message.tag === 'stream')
          return { events: [{ type: 'turn_end', status: 'completed' }] };
        if (message.kind === 'failed' || message.status >= 400) {
          const text = message.kind === 'failed' ? message.message : JSON.stringify(message.body);
          return { events: [{ type: 'error', code: 'NETWORK_ERROR', message: text, recoverable: false }] };
        }
        return { events: [] };
      },
      resolve: () => [],
      close: ({ id }: State) => [post('bye', `/bye/${id}`)],
    },
    server: {
      readUrl: (line) => /listening on (\S+)/.exec(line)?.[1],
      passwordEnv: 'SERVER_PASSWORD',
      headers: (_options, password) => ({ authorization: `Bearer ${password}` }),
      healthPath: '/health',
      eventsPath: (options) => `/events/${options.runId}`,
      ...server,
    },
  };
}
const start = (server?: Partial<HttpServerSpec>, client?: CoreClientOptions) =>
  bench.use(new ScriptAdapter(SERVER, spec(server)), client);
/** Passes the path of a helper file to the server. */
class WithFile extends ScriptAdapter {
  override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    const env = { HELPER: join(options.scratchDir, 'helper.txt') };
    return { ...super.buildSpawnArgs(options), env, files: { 'helper.txt': 'for the agent' } };
  }
}
const pidIn = (text: string) => Number(text.split(' ').at(-1));
const crashOf = (events: readonly AgentEvent[]) => typed(events, 'crash')[0];

describe('server agent', () => {
  it('starts with its own password and ends with its run', async () => {
    const handle = start().run({ prompt: 'hello' });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    const result = await handle;
    expect(result).toMatchObject({ exitReason: 'completed', sessionId: handle.runId });
    expect(result.text).toMatch(/^hello \d+$/);
    expect(isAlive(pidIn(result.text))).toBe(false);
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('runs several turns and answers a call with a stream', async () => {
    const handle = start().run({ prompt: 'one', interactive: true });
    await next(handle, 'turn_end');
    await handle.send('stream');
    await next(handle, 'turn_end');
    expect(handle.text).toBe('one two');
    expect(await handle.end()).toMatchObject({ turnCount: 2 });
  });

  it('is shared by runs with the same key and ended by close()', async () => {
    const { run, client } = start({ shareKey: () => 'all' });
    const [first, second] = [run({ prompt: 'a', interactive: true }), run({ prompt: 'b', interactive: true })];
    await Promise.all([next(first, 'turn_end'), next(second, 'turn_end')]);
    const pid = pidIn(first.text);
    expect(second.text).toBe(`b ${pid}`);
    await first.end();
    expect(isAlive(pid)).toBe(true);
    await second.send('c');
    await next(second, 'turn_end');
    expect(second.text).toBe(`c ${pid}`);
    await second.end();
    expect((await run({ prompt: 'd' })).text).toBe(`d ${pid}`);
    await client.close();
    expect(isAlive(pid)).toBe(false);
  });

  it('is ended after an idle time', async () => {
    const { run } = start({ shareKey: () => 'all' }, { idleTimeout: 50 });
    const pid = pidIn((await run({ prompt: 'a' })).text);
    await until(() => !isAlive(pid));
  });

  it('is replaced after it was killed between two runs', async () => {
    const { run } = start({ shareKey: () => 'all' });
    const pid = pidIn((await run({ prompt: 'a' })).text);
    process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(pid));
    const text = (await run({ prompt: 'b' })).text;
    expect(text).toMatch(/^b \d+$/);
    expect(pidIn(text)).not.toBe(pid);
  });

  it('has helper files that live as long as the server', async () => {
    const adapter = new WithFile(SERVER, spec({ shareKey: () => 'all' }));
    const { run, client } = bench.use(adapter);
    const [pid, path] = (await run({ prompt: 'file' })).text.split(' ');
    expect(readFileSync(path ?? '', 'utf8')).toBe('for the agent');
    expect((await run({ prompt: 'file' })).text).toBe(`${pid} ${path}`);
    await client.close();
    expect(existsSync(path ?? '')).toBe(false);
  });

  it('gets its event stream reopened after a cut', async () => {
    const handle = start().run({ prompt: 'cut' });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(typed(events, 'debug')).toMatchObject([{ code: 'again' }]);
    expect(await handle).toMatchObject({ text: 'after the cut', exitReason: 'completed' });
  });

  it('crashes all its runs with its stderr when it dies in a turn', async () => {
    const { run } = start({ shareKey: () => 'all' });
    const victim = run({ prompt: 'silence' });
    await next(victim, 'turn_start');
    const culprit = run({ prompt: 'die' });
    for (const handle of [victim, culprit]) {
      const events = await eventsOf(handle);
      assertEventOrder(events);
      expect(crashOf(events)).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('last words') });
      expect(await handle).toMatchObject({ exitReason: 'crashed', exitCode: 5 });
    }
    expect(await run({ prompt: 'again' })).toMatchObject({ exitReason: 'completed' });
  });

  it('counts as crashed if it breaks the connection before it dies', async () => {
    const handle = start().run({ prompt: 'hang up' });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(crashOf(events)).toMatchObject({ exitCode: 6 });
    expect(typed(events, 'error')).toEqual([]);
    expect(await handle).toMatchObject({ exitReason: 'crashed', error: { code: 'AGENT_CRASH' } });
  });

  it('reports a broken connection if the server lives on', async () => {
    const handle = start().run({ prompt: 'hang up, live on' });
    const reading = eventsOf(handle);
    await next(handle, 'error');
    await handle.abort();
    expect(typed(await reading, 'error')).toMatchObject([{ code: 'NETWORK_ERROR' }]);
  });

  it('reports why a server failed to start', async () => {
    const handle = start().run({ env: { FAIL: '1' } });
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(crashOf(events)?.stderr).toContain('port is taken');
    expect(await handle).toMatchObject({ exitReason: 'crashed' });
  });

  it('can be aborted while it never prints its address', async () => {
    const handle = start().run({ env: { NEVER: '1' } });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await handle.abort()).toMatchObject({ exitReason: 'aborted' });
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it("fails the run with the server's own error if access is denied", async () => {
    const handle = start({ headers: () => ({}) }).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    expect(await handle).toMatchObject({ error: { message: expect.stringContaining('who are you') } });
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('reports a limit printed on stderr', async () => {
    expect(await start().run({ prompt: 'limit' })).toMatchObject({ exitReason: 'rate_limited' });
  });

  it('can be aborted in mid-turn', async () => {
    const handle = start().run({ prompt: 'silence' });
    await next(handle, 'turn_start');
    expect(await handle.abort()).toMatchObject({ exitReason: 'aborted' });
    expect(nothingLeftOf(handle)).toBe(true);
  });

  it('is ended by close() and has its traffic in the trace', async () => {
    const tracePath = join(bench.folder(), 'trace.jsonl');
    const { client, run } = start();
    const handle = run({ prompt: 'hello', interactive: true, tracePath });
    await next(handle, 'turn_end');
    await client.close();
    expect(nothingLeftOf(handle)).toBe(true);
    const trace = readFileSync(tracePath, 'utf8');
    expect(trace).toMatch(/"dir":"in"[^\n]*POST \/prompt/);
    expect(trace).toMatch(/"dir":"stdout"[^\n]*text_delta/);
  });
});

describe('server run by someone else', () => {
  it('fails the run with its address if it is unreachable', async () => {
    const handle = start({ baseUrl: () => 'http://127.0.0.1:9' }).run();
    const events = await eventsOf(handle);
    assertEventOrder(events);
    const result = await handle;
    expect(result.exitReason).not.toBe('completed');
    expect(result.error?.message).toMatch(/ECONNREFUSED|fetch failed/);
  });
});
