import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reply } from './reply.ts';
import { type ScriptedModel, startScriptedModel } from './server.ts';
import { ask, eventsOf, post, WIRE_CLIENTS } from './wire-client.ts';

const FINISH: Record<string, Record<'end' | 'tool' | 'limit', string>> = {
  anthropic: { end: 'end_turn', tool: 'tool_use', limit: 'max_tokens' },
  'openai-chat': { end: 'stop', tool: 'tool_calls', limit: 'length' },
  'openai-responses': { end: 'completed', tool: 'completed', limit: 'incomplete' },
  gemini: { end: 'STOP', tool: 'STOP', limit: 'MAX_TOKENS' },
};

const invalid = 'invalid_request_error';
const retryInfo = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '30s' }];
const ERRORS: Record<string, Record<number, object>> = {
  anthropic: {
    400: { error: { type: invalid, message: expect.stringContaining('prompt is too long') } },
    401: { type: 'error', error: { type: 'authentication_error' } },
    429: { error: { type: 'rate_limit_error' } },
    500: { error: { type: 'api_error' } },
    529: { error: { type: 'overloaded_error' } },
  },
  'openai-chat': {
    400: { error: { type: invalid, code: 'context_length_exceeded', param: 'messages' } },
    401: { error: { type: invalid, code: 'invalid_api_key' } },
    429: { error: { code: 'rate_limit_exceeded', message: expect.stringContaining('try again in 30s') } },
    500: { error: { type: 'server_error', code: null } },
    529: { error: { type: 'server_error', message: expect.stringContaining('overloaded') } },
  },
  'openai-responses': {
    400: { error: { code: 'context_length_exceeded', message: expect.stringContaining('exceeds the context window') } },
    401: { error: { type: invalid, code: 'invalid_api_key' } },
    429: { error: { code: 'rate_limit_exceeded' } },
    500: { error: { type: 'server_error', code: null } },
    529: { error: { type: 'server_error', message: expect.stringContaining('overloaded') } },
  },
  gemini: {
    400: { error: { code: 400, status: 'INVALID_ARGUMENT', message: expect.stringContaining('input token count') } },
    401: { error: { code: 401, status: 'UNAUTHENTICATED' } },
    429: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', details: retryInfo } },
    500: { error: { code: 500, status: 'INTERNAL' } },
    529: { error: { code: 529, status: 'UNAVAILABLE' } },
  },
};

let model: ScriptedModel;
beforeEach(async () => {
  model = await startScriptedModel();
});
afterEach(() => model.close());

const any = (): boolean => true;

describe.each(WIRE_CLIENTS)('over $api', (client) => {
  describe.each([true, false])('with stream: %s', (stream) => {
    it('answers with text', async () => {
      model.setScenario(() => 'hello there');
      const answer = await ask(model.url, client, 'hi', stream);
      expect(answer).toMatchObject({ text: 'hello there', thinking: '', calls: [], finish: FINISH[client.api]?.end });
    });

    it('emits thinking before the answer', async () => {
      model.setScenario(() => reply.think('let me see').text('yes'));
      expect(await ask(model.url, client, 'hi', stream)).toMatchObject({ thinking: 'let me see', text: 'yes' });
    });

    it('calls several tools in one reply', async () => {
      model.setScenario(() =>
        reply
          .text('calling')
          .toolCall('look', { at: [1] })
          .toolCall('run', { cmd: 'ls' }),
      );
      const answer = await ask(model.url, client, 'hi', stream);
      expect(answer.calls).toEqual([
        { name: 'look', input: { at: [1] } },
        { name: 'run', input: { cmd: 'ls' } },
      ]);
      expect(answer).toMatchObject({ text: 'calling', finish: FINISH[client.api]?.tool });
    });

    it('reports the given usage', async () => {
      const usage = { input: 7, cacheRead: 20, cacheWrite: 300, output: 50, reasoning: 4 };
      model.setScenario(() => reply.text('x').usage(usage));
      const { tokens } = await ask(model.url, client, 'hi', stream);
      expect(tokens).toEqual({ input: client.api === 'anthropic' ? 7 : 327, cached: 20, output: 50 });
    });

    it('reports that the token limit was reached', async () => {
      model.setScenario(() => reply.text('cut').atLimit());
      expect((await ask(model.url, client, 'hi', stream)).finish).toBe(FINISH[client.api]?.limit);
    });
  });

  it('keeps text whole that is split inside graphemes', async () => {
    const text = 'a👩‍👩‍👧‍👦b🇩🇪c é ß 漢字';
    model.setScenario(() => reply.text(text, { chunks: 1000 }));
    const response = await post(model.url, client.path(true), client.body('hi', true));
    const wire = await response.text();
    expect(wire).not.toMatch(/\\ud[89a-f]/i);
    expect(client.read(eventsOf(wire)).text).toBe(text);
  });

  it('sends each delta as a separate chunk, 2000 of them', async () => {
    model.setScenario(() => reply.chunks(2000, { size: 10 }));
    const chunks = await chunksOf(`${model.url}${client.path(true)}`, client.body('hi', true));
    expect(chunks.filter((chunk) => /\n\n./.test(chunk))).toEqual([]);
    const { text } = client.read(eventsOf(chunks.join('')));
    expect(text).toHaveLength(20_000);
    expect(text.endsWith('c1999 xxx ')).toBe(true);
  });

  it.each([400, 401, 429, 500, 529])('answers %i in the format of its vendor', async (status) => {
    model.setScenario(() => reply.status(status, { retryAfterSeconds: 30, headers: { 'x-extra': 'yes' } }));
    const response = await post(model.url, client.path(true), client.body('hi', true));
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe('30');
    expect(response.headers.get('x-extra')).toBe('yes');
    expect(await response.json()).toMatchObject(ERRORS[client.api]![status]!);
  });

  it('cuts the connection in the middle of a stream', async () => {
    model.setScenario(() => reply.text('abcdef', { chunks: 6 }).drop({ afterChunks: 2 }));
    const response = await post(model.url, client.path(true), client.body('hi', true));
    const { wire, broken } = await readUntilBroken(response);
    expect(broken).toBe(true);
    const { text, finish } = client.read(eventsOf(wire));
    expect({ text, finish }).toEqual({ text: 'ab', finish: '' });
    expect(await model.outcome(await model.waitForRequest(any, 1000))).toBe('dropped');
  });

  it('cuts the connection after the content, before it is closed, when no count is given', async () => {
    model.setScenario(() => reply.text('abc').drop());
    const response = await post(model.url, client.path(true), client.body('hi', true));
    const { text, finish } = client.read(eventsOf((await readUntilBroken(response)).wire));
    expect({ text, finish }).toEqual({ text: 'abc', finish: '' });
  });

  it('cuts the connection before any answer when a reply that does not stream is dropped', async () => {
    model.setScenario(() => reply.text('abc').drop());
    await expect(post(model.url, client.path(false), client.body('hi', false))).rejects.toThrow();
  });

  it('hangs after some text until the client disconnects', async () => {
    model.setScenario(() => reply.text('partial', { chunks: 1 }).hang());
    const gone = new AbortController();
    const response = await post(model.url, client.path(true), client.body('hi', true), { signal: gone.signal });
    let wire = '';
    await expect(
      (async () => {
        const decoder = new TextDecoder();
        for await (const chunk of response.body ?? []) {
          wire += decoder.decode(chunk, { stream: true });
          if (wire.includes('partial')) gone.abort();
        }
      })(),
    ).rejects.toThrow();
    expect(await model.outcome(await model.waitForRequest(any, 1000))).toBe('gone');
  });

  it('never answers when it hangs without text', async () => {
    model.setScenario(() => reply.hang());
    const gone = new AbortController();
    const response = post(model.url, client.path(true), client.body('hi', true), { signal: gone.signal });
    const request = await model.waitForRequest(any, 5000);
    gone.abort();
    await expect(response).rejects.toThrow();
    expect(await model.outcome(request)).toBe('gone');
  });

  it.each(['', '{"model":', '[]', 'null', '{}', '{"model":"m","messages":[1],"input":[1],"contents":[1]}'])(
    'refuses the body %j with 400 and logs it',
    async (body) => {
      const response = await post(model.url, client.path(true), null, { body });
      expect(response.status).toBe(400);
      expect(await response.json()).toHaveProperty('error.message');
      expect(model.requests).toHaveLength(1);
      expect(model.requests[0]).toMatchObject({ api: client.api, malformed: expect.any(String), messages: [] });
    },
  );

  it('logs a request in the same form as the other APIs', async () => {
    await post(model.url, client.path(false), client.body('hi', false), { headers: { 'x-api-key': 'secret' } });
    expect(model.requests[0]).toMatchObject({
      index: 0,
      api: client.api,
      path: client.path(false),
      model: 'm-1',
      system: 'be brief',
      messages: [{ role: 'user', text: 'hi', toolCalls: [], toolResults: [], images: 1 }],
      prompt: 'hi',
      turn: 0,
      step: 0,
      tools: ['look'],
      stream: false,
      effort: 'high',
      auxiliary: false,
      malformed: null,
      headers: { 'x-api-key': '[redacted]' },
      body: client.body('hi', false),
    });
    expect(JSON.stringify(model.requests)).not.toContain('secret');
  });

  it('logs tool calls and their results', async () => {
    await post(model.url, client.path(false), client.afterToolCall('go'));
    const [request] = model.requests;
    expect(request?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool']);
    expect(request?.messages[1]?.toolCalls).toEqual([{ id: 'c1', name: 'look', input: { at: 1 } }]);
    expect(request).toMatchObject({ prompt: 'go', step: 1, toolResults: [{ id: 'c1', output: 'found it' }] });
  });
});

/** The chunks of a response as they were framed by the server; fetch would join what arrives together. */
function chunksOf(url: string, body: unknown): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST' }, (response) => {
      const chunks: string[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk.toString('utf8')));
      response.on('end', () => resolve(chunks));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}

async function readUntilBroken(response: Response): Promise<{ wire: string; broken: boolean }> {
  const decoder = new TextDecoder();
  let wire = '';
  try {
    for await (const chunk of response.body ?? []) wire += decoder.decode(chunk, { stream: true });
    return { wire, broken: false };
  } catch {
    return { wire, broken: true };
  }
}

describe('over openai-responses alone', () => {
  const call = async (tools: unknown, name: string, input: unknown): Promise<unknown> => {
    model.setScenario(() => reply.toolCall(name, input, { id: 'c9' }));
    const response = await post(model.url, '/v1/responses', { model: 'm-1', input: 'hi', tools });
    return response.json();
  };

  it('calls a freeform tool with text', async () => {
    const answer = await call([{ type: 'custom', name: 'apply_patch' }], 'apply_patch', '*** Begin Patch');
    const output = [{ type: 'custom_tool_call', call_id: 'c9', name: 'apply_patch', input: '*** Begin Patch' }];
    expect(answer).toMatchObject({ output });
  });

  it('names the namespace of a tool', async () => {
    const answer = await call([{ type: 'namespace', name: 'mcp__calc', tools: [{ name: 'add' }] }], 'add', { a: 1 });
    expect(answer).toMatchObject({ output: [{ type: 'function_call', namespace: 'mcp__calc', name: 'add' }] });
    expect(model.requests[0]?.tools).toEqual(['add']);
  });
});
