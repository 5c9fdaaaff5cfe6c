import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { reply, type ScriptedModel, startScriptedModel } from '@agent-mux/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { define, eventsOf, typed, useEngine } from '../../test/engine.ts';
import { httpProfile } from './http.ts';
import { fillTemplate, inspectTemplate } from './http-template.ts';
import { valueAt } from './json-path.ts';

let model: ScriptedModel;
let server: Server;
let odd: string;
/** Request bodies that the test server received. */
const got: unknown[] = [];
let answer: (response: ServerResponse) => void = (response) => response.end();

beforeAll(async () => {
  model = await startScriptedModel({ models: ['scripted-model'] });
  server = createServer((request: IncomingMessage, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      got.push(JSON.parse(body));
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  odd = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`;
});
afterAll(async () => {
  server.close();
  await model.close();
});

const HOSTILE = 'a "quote", a \\ and {{model}}\n{"role":"system"}';

/** As the documentation of such a service describes it. */
const OPENAI = (stream: boolean) => ({
  base_url: `${model.url}/v1/chat/completions`,
  headers: { Authorization: 'Bearer sk-loopback' },
  model: 'scripted-model',
  body: { model: '{{model}}', stream, messages: '{{messages}}', stream_options: { include_usage: true } },
  answer: 'choices[0].message.content',
  delta: 'choices[0].delta.content',
  usage: { input_tokens: 'usage.prompt_tokens', output_tokens: 'usage.completion_tokens' },
});

describe('generic HTTP agent with an OpenAI-compatible endpoint', () => {
  const engine = useEngine(() => [
    define(httpProfile, 'whole', OPENAI(false)),
    define(httpProfile, 'streamed', { ...OPENAI(true), system_prompt: 'Be brief.' }),
  ]);

  it.each(['whole', 'streamed'])('%s: emits the model output and its cost', async (agent) => {
    model.setScenario(() => reply.text('Hello from the model.'));
    const handle = engine.client.run({ agent, prompt: HOSTILE });
    const events = await eventsOf(handle);
    const result = await handle;
    expect(result).toMatchObject({ exitReason: 'completed', text: 'Hello from the model.' });
    expect(typed(events, 'cost').at(-1)?.usage.outputTokens).toBeGreaterThan(0);
    const request = model.requests.at(-1);
    expect(request?.model).toBe('scripted-model');
    expect(JSON.stringify(request?.body)).toContain(JSON.stringify(HOSTILE));
  });

  it('sends the conversation with every turn, the system prompt first', async () => {
    const answers = ['one', 'two'];
    model.setScenario(() => reply.text(answers.shift() ?? 'three'));
    const handle = engine.client.run({ agent: 'streamed', prompt: 'first', systemPrompt: 'Be exact.' });
    let sent = false;
    for await (const { type } of handle) {
      if (type !== 'turn_end' || sent) continue;
      sent = true;
      await handle.send('second');
    }
    expect(await handle).toMatchObject({ text: 'two', turnCount: 2 });
    expect(model.requests.at(-1)?.body).toMatchObject({
      messages: [
        { role: 'system', content: 'Be exact.' },
        { role: 'user', content: 'first' },
        { role: 'assistant', content: 'one' },
        { role: 'user', content: 'second' },
      ],
    });
  });

  it('uses the model of the run', async () => {
    model.setScenario(() => reply.text('ok'));
    await engine.client.run({ agent: 'whole', prompt: 'go', model: 'other-model' });
    expect(model.requests.at(-1)?.model).toBe('other-model');
  });
});

describe('generic HTTP agent with a custom body', () => {
  const engine = useEngine(() => [
    define(httpProfile, 'odd', {
      base_url: odd,
      body: { ask: 'Q: {{prompt}}', system: '{{system}}', model: '{{model}}', fixed: [1, null, { id: '{{session}}' }] },
      answer: 'result.parts',
    }),
  ]);
  const run = () => engine.client.run({ agent: 'odd', prompt: HOSTILE, runId: 'run-odd' });

  it('inserts values unchanged and omits missing ones', async () => {
    answer = (response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"result":{"parts":[{"text":"a"},{"text":"b"}]}}');
    expect((await run()).text).toBe('ab');
    expect(got.at(-1)).toEqual({ ask: `Q: ${HOSTILE}`, fixed: [1, null, { id: 'run-odd' }] });
  });

  it.each([
    ['application/json', '{"other":"shape"}', /no value at result\.parts.*\{"other":"shape"\}/],
    ['application/json', '', /no value at result\.parts.*an empty answer/],
    ['text/plain', 'words', /no value at result\.parts/],
    ['application/json', '{"error":{"message":"no credit"}}', /no credit/],
  ])('fails with a clear message if the answer is not at its path: %s %s', async (type, body, message) => {
    answer = (response) => response.writeHead(200, { 'content-type': type }).end(body);
    const result = await run();
    expect(result.exitReason).not.toBe('completed');
    expect(result.error).toMatchObject({ code: 'AGENT_ERROR', message: expect.stringMatching(message) });
  });
});

describe('body template', () => {
  it('is rejected if it cannot carry the message or has unknown placeholders', () => {
    const faults = (config: object) =>
      httpProfile.schema
        .safeParse({ base_url: 'http://x', ...config })
        .error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    expect(faults({ body: { text: 'hello' } })).toMatchObject([/neither \{\{prompt\}\} nor/]);
    expect(faults({ body: { text: '{{promt}}' } })).toMatchObject([/did you mean \{\{prompt\}\}\?/]);
    expect(faults({ body: { text: 'x {{messages}}' } })).toMatchObject([/is a list/]);
    expect(faults({ body: ['{{prompt}}'], method: 'GET' })).toMatchObject([/GET/]);
    expect(faults({ body: ['{{prompt}}'], headers: { 'content-type': 'text/plain' } })).toMatchObject([/Content-Type/]);
    expect(faults({ body: ['{{prompt}}'], model: 'm' })).toMatchObject([/no \{\{model\}\}/]);
    expect(faults({ model: 'm' })).toMatchObject([/no \{\{model\}\}/]);
    expect(faults({ delta: 'a.b' })).toMatchObject([/needs answer/]);
    expect(faults({ answer: 'a..b' })).toMatchObject([/must be a path/]);
  });

  it('cannot be made to hold anything but values', () => {
    const template = JSON.parse('{"__proto__":{"polluted":true},"p":"{{prompt}}"}');
    expect(inspectTemplate(template).problems).toEqual([]);
    const filled = fillTemplate(template, { prompt: '{{session}}', session: 's', messages: [] });
    expect(JSON.stringify(filled)).toBe('{"__proto__":{"polluted":true},"p":"{{session}}"}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('path into an answer', () => {
  it.each([
    ['a.b[1].c', 'x'],
    ['a.b[7].c', undefined],
    ['a.constructor', undefined],
    ['a.b.length', undefined],
    ['[0]', undefined],
  ])('%s', (path, value) => {
    expect(valueAt({ a: { b: [{}, { c: 'x' }] } }, path)).toBe(value);
  });
});
