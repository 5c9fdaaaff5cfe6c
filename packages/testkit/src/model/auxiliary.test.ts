import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedModel, startScriptedModel } from './server.ts';
import { post } from './wire-client.ts';

let model: ScriptedModel;
beforeEach(async () => {
  model = await startScriptedModel({ scenario: () => 'the main answer' });
});
afterEach(() => model.close());

const chatWith = (system: string, user: string) => ({
  model: 'm-1',
  messages: [
    { role: 'system', content: system },
    { role: 'user', content: user },
  ],
});

describe('auxiliary requests of a CLI', () => {
  it.each([
    ['title', 'You are a title generator. You output a title.', 'hi'],
    ['title', 'Generate a short title (four words or less) that describes the topic.', 'hi'],
    ['title', 'Summarize this tool call in a short lowercase phrase (3-8 words).', 'Tool: shell'],
    ['title', 'Summarize this sequence of tool calls in a short lowercase phrase.', 'Step 1: shell'],
    ['memory', 'You are now acting as the managed memory extraction subagent for an assistant.', 'hi'],
    ['classifier', 'You are a security classifier for an AI coding agent operating in auto mode.', 'rm'],
    ['summary', 'You are a context summarization assistant. Read.', 'hi'],
    ['summary', 'You are a coding agent.', 'Your task is to create a detailed summary of the conversation so far.'],
  ])('are recognized: %s', async (purpose, system, user) => {
    const response = await post(model.url, '/v1/chat/completions', chatWith(system, user));
    expect(model.requests[0]).toMatchObject({ auxiliary: true, purpose });
    expect(await response.text()).not.toContain('the main answer');
  });

  it('get the JSON that the router of gemini reads', async () => {
    const response = await post(model.url, '/v1beta/models/flash-lite:generateContent', {
      systemInstruction: { parts: [{ text: '\nYou are a specialized Task Routing AI. Score it.' }] },
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    });
    const { candidates } = (await response.json()) as { candidates: { content: { parts: { text: string }[] } }[] };
    expect(JSON.parse(candidates[0]?.content.parts[0]?.text ?? '')).toMatchObject({ complexity_score: 1 });
    expect(model.requests[0]?.purpose).toBe('router');
  });

  it('do not include a prompt that talks about titles', async () => {
    const body = chatWith('You are a coding agent.', 'write a title generator: generate a title');
    const response = await post(model.url, '/v1/chat/completions', body);
    expect(model.requests[0]).toMatchObject({ auxiliary: false, purpose: 'main' });
    expect(await response.text()).toContain('the main answer');
  });

  it('can be answered by a separate scenario', async () => {
    await model.close();
    model = await startScriptedModel({ auxiliary: (request) => `my ${request.purpose}` });
    const response = await post(model.url, '/v1/chat/completions', chatWith('You are a title generator.', 'hi'));
    expect(await response.text()).toContain('my title');
  });
});
