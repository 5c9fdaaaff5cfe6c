import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isObject, parseJson, stringAt } from './json.ts';
import { reply } from './reply.ts';
import type { ModelRequest } from './request.ts';
import { inOrder } from './scenario.ts';
import { type ScriptedModel, startScriptedModel } from './server.ts';
import { ask, post, WIRE_CLIENTS } from './wire-client.ts';

let model: ScriptedModel;
beforeEach(async () => {
  model = await startScriptedModel();
});
afterEach(() => model.close());

const any = (): boolean => true;

describe('scripted model', () => {
  const [anthropic, chat] = WIRE_CLIENTS;
  if (!anthropic || !chat) throw new Error('no clients');

  it('accepts a body of 20 MB', async () => {
    const prompt = 'x'.repeat(20 * 1024 * 1024);
    expect((await ask(model.url, anthropic, prompt, true)).text).toBe('hello from the scripted model');
    expect(model.requests[0]?.prompt).toHaveLength(prompt.length);
  });

  it('sends extra headers with an answer', async () => {
    const header = 'anthropic-ratelimit-unified-5h-utilization';
    model.setScenario(() => reply.text('x').headers({ [header]: '0.9' }));
    const response = await post(model.url, anthropic.path(true), anthropic.body('hi', true));
    expect(response.headers.get(header)).toBe('0.9');
  });

  it('reports the usage of a chat stream only on request', async () => {
    const response = await post(model.url, chat.path(true), { ...chat.body('hi', true), stream_options: undefined });
    expect(await response.text()).not.toContain('"usage"');
  });

  it('counts tokens and lists models', async () => {
    const anthropicCount = await post(model.url, '/v1/messages/count_tokens', { messages: [] });
    expect(await anthropicCount.json()).toEqual({ input_tokens: expect.any(Number) });
    const geminiCount = await post(model.url, '/v1beta/models/m-1:countTokens', { contents: [] });
    expect(await geminiCount.json()).toEqual({ totalTokens: expect.any(Number) });
    const list = await (await fetch(`${model.url}/v1/models`)).json();
    expect(list).toMatchObject({ data: [{ id: 'scripted-model' }] });
    const geminiList = await (await fetch(`${model.url}/v1beta/models?key=secret`)).json();
    expect(geminiList).toMatchObject({ models: [{ name: 'models/scripted-model' }] });
    expect(model.requests).toEqual([]);
    expect(model.others.map((other) => other.path)).toContain('/v1beta/models?key=[redacted]');
  });

  it('answers 404 to an unknown path, and logs it', async () => {
    expect((await fetch(`${model.url}/api/hello`)).status).toBe(404);
    expect(model.others).toEqual([{ method: 'GET', path: '/api/hello', status: 404 }]);
  });

  it.each(['//', '/%', '/v1/models/%zz', '/v1beta/models/%zz:generateContent'])(
    'survives the path %s',
    async (path) => {
      expect((await post(model.url, path, { contents: [] })).status).toBeLessThan(500);
      expect((await fetch(`${model.url}${path}`)).status).toBeLessThan(500);
    },
  );

  it('answers 500 when the scenario throws', async () => {
    model.setScenario(() => {
      throw new Error('no idea');
    });
    const response = await post(model.url, anthropic.path(true), anthropic.body('hi', true));
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('no idea');
  });

  it('gives replies in order and repeats the last', async () => {
    model.setScenario(inOrder('one', reply.text('two')));
    const texts = [];
    for (let i = 0; i < 3; i++) texts.push((await ask(model.url, chat, 'hi', false)).text);
    expect(texts).toEqual(['one', 'two', 'two']);
  });

  it('waits for a request that has not come yet', async () => {
    const waiting = model.waitForRequest((request: ModelRequest) => request.prompt === 'second', 10_000);
    await ask(model.url, chat, 'first', false);
    await ask(model.url, chat, 'second', false);
    expect((await waiting).index).toBe(1);
  });

  it('stops waiting after the timeout, and when it is closed', async () => {
    await expect(model.waitForRequest(any, 10)).rejects.toThrow('within 10 ms');
    const waiting = expect(model.waitForRequest(any, 60_000)).rejects.toThrow('closed');
    await model.close();
    await waiting;
  });

  it('closes while an answer hangs', async () => {
    model.setScenario(() => reply.hang());
    const hanging = expect(ask(model.url, chat, 'hi', true)).rejects.toThrow();
    await model.waitForRequest(any, 5000);
    await model.close();
    await hanging;
  });
});

describe('server for manual use', () => {
  it('prints its address and each request, and ends on a signal', async () => {
    const script = fileURLToPath(new URL('./serve.ts', import.meta.url));
    const child = spawn(process.execPath, [script, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      const nextLine = async () => parseJson(stringAt((await lines.next()).value));
      const first = await nextLine();
      const url = isObject(first) ? stringAt(first.url) : '';
      const response = await post(url, '/v1/messages', {
        model: 'm',
        messages: [{ role: 'user', content: '[[text yo]]' }],
      });
      expect(await response.json()).toMatchObject({ content: [{ type: 'text', text: 'yo' }] });
      expect(await nextLine()).toMatchObject({ index: 0, api: 'anthropic', prompt: '[[text yo]]' });
      child.kill('SIGTERM');
      expect(await exited).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
