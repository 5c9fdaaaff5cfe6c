import { describe, expect, it } from 'vitest';
import { readDirectives } from './directives.ts';
import { scriptByPrompt } from './prompt-script.ts';
import { type Reply, reply } from './reply.ts';
import { type ModelRequest, message } from './request.ts';
import { turnPosition } from './turn.ts';

function requestFor(prompt: string, results: readonly string[] = [], stream = true): ModelRequest {
  const messages = [message('user', { text: prompt })];
  for (const [index, output] of results.entries()) {
    const id = `c${index}`;
    messages.push(message('assistant', { toolCalls: [{ id, name: 'look', input: {} }] }));
    messages.push(message('tool', { toolResults: [{ id, output, isError: false }] }));
  }
  return {
    index: 0,
    api: 'anthropic',
    path: '/v1/messages',
    model: 'm-1',
    system: '',
    messages,
    tools: [],
    stream,
    effort: null,
    thinking: null,
    ...turnPosition(messages),
    auxiliary: false,
    purpose: 'main',
    malformed: null,
    headers: {},
    body: {},
  };
}

async function answer(prompt: string, results: readonly string[] = [], stream = true): Promise<Reply> {
  const made = await scriptByPrompt()(requestFor(prompt, results, stream), 0);
  return typeof made === 'string' ? reply.text(made) : made;
}

describe('script in the prompt', () => {
  it('greets without a directive', async () => {
    expect((await answer('hi')).fields).toEqual(reply.text('hello from the scripted model').fields);
  });

  it('calls its tools one by one, then reports how the last one ended', async () => {
    const prompt = 'please [[tool look {"at":1}]] and [[think more]] [[tool run {"cmd":"ls"}]]';
    expect((await answer(prompt)).fields).toEqual(reply.toolCall('look', { at: 1 }).fields);
    expect((await answer(prompt, ['a'])).fields).toEqual(reply.think('more').toolCall('run', { cmd: 'ls' }).fields);
    expect((await answer(prompt, ['a', 'b'])).fields).toEqual(reply.text('tool result: b').fields);
  });

  it('sends the text after the last tool once its result is in', async () => {
    const prompt = '[[text first]] [[tool look {}]] [[text all done]]';
    expect((await answer(prompt)).fields).toEqual(reply.text('first').toolCall('look', {}).fields);
    expect((await answer(prompt, ['x'])).fields).toEqual(reply.text('all done').fields);
  });

  it('thinks, then greets', async () => {
    expect((await answer('[[think hm]]')).fields).toEqual(
      reply.think('hm').text('hello from the scripted model').fields,
    );
  });

  it('fails with a status, also after a tool', async () => {
    const failed = reply.status(429, { retryAfterSeconds: 30 }).fields;
    expect((await answer('[[status 429 retry-after 30]]')).fields).toEqual(failed);
    expect((await answer('[[tool look {}]] [[status 429 retry-after 30]]', ['x'])).fields).toEqual(failed);
  });

  it('fails only until the given time', async () => {
    expect((await answer('[[status 429 until 4000000000]]')).fields.failure?.status).toBe(429);
    expect((await answer('[[status 429 until 1]] [[text open again]]')).fields).toEqual(
      reply.text('open again').fields,
    );
  });

  it('streams many chunks, hangs and drops', async () => {
    expect((await answer('[[chunks 2000]]')).fields.parts[0]).toMatchObject({ pieces: { length: 2000 } });
    expect((await answer('[[hang]]')).fields).toEqual(reply.hang().fields);
    expect((await answer('[[text half]] [[hang]]')).fields).toEqual(reply.text('half').hang().fields);
    expect((await answer('[[drop]]')).fields.ending).toEqual({ type: 'drop', afterChunks: 1 });
  });

  it('sends the whole answer to a client that does not stream if a stream is dropped', async () => {
    expect((await answer('[[drop]]', [], false)).fields.ending).toEqual({ type: 'complete' });
  });

  it('reports which directive it cannot read', async () => {
    const made = await answer('[[tool look {oops]]');
    expect(made.fields).toEqual(reply.text('cannot read the directive [[tool look {oops]]').fields);
  });
});

describe('directives', () => {
  it('may contain closing brackets in their JSON', () => {
    const [first, second] = readDirectives('[[tool a {"x":[[1]],"y":"]]"}]] [[text ok]]');
    expect(first).toEqual({ type: 'tool', name: 'a', input: { x: [[1]], y: ']]' } });
    expect(second).toEqual({ type: 'text', text: 'ok' });
  });

  it('call a freeform tool with a string, and a tool without arguments with none', () => {
    const [first, second] = readDirectives('[[tool apply_patch "*** Begin"]] [[tool list]]');
    expect(first).toEqual({ type: 'tool', name: 'apply_patch', input: '*** Begin' });
    expect(second).toEqual({ type: 'tool', name: 'list', input: {} });
  });

  it('read the pace and size of chunks', () => {
    expect(readDirectives('[[chunks 10 delay 5 size 40]]')).toEqual([
      { type: 'chunks', count: 10, delayMs: 5, size: 40 },
    ]);
  });

  it('leave other brackets alone', () => {
    expect(readDirectives('a[[0]] [[links]] [[')).toEqual([]);
  });
});
