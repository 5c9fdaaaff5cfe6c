import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Step } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { event, live, nothingLeftOf, sessionStart, text, turnEnd, useBench } from '../../test/engine.ts';
import { NO_USAGE } from '../contract/events.ts';
import type { AgentActivityEvent, RunHandle } from '../contract/run.ts';

const bench = useBench();
const paid = event({
  type: 'cost',
  usage: { ...NO_USAGE, inputTokens: 10, outputTokens: 5, cacheReadTokens: 3, totalTokens: 99 },
  costUsd: 0.5,
  scope: 'turn',
  source: 'reported',
  model: 'm-1',
  serviceTier: 'standard',
});
const tool = { toolCallId: 't', toolName: 'Bash' };
const everything: Step[] = [
  event({ type: 'session_start', sessionId: 's', model: 'm-1', tools: ['Bash', 'Edit'], cwd: '/w' }),
  event({ type: 'thinking_delta', delta: 'hm' }),
  event({ type: 'tool_call_ready', ...tool, input: { command: 'ls' } }),
  event({ type: 'tool_result', ...tool, output: 'a.txt' }),
  event({ type: 'tool_error', toolCallId: 'u', toolName: 'Edit', error: 'no' }),
  text('done'),
  paid,
  turnEnd,
];

describe('runOnce', () => {
  it('returns content, cost, duration and usage', async () => {
    const { client } = bench.fake(everything);
    const { duration_ms, ...result } = await client.runOnce({ agent: 'fake', prompt: 'go' });
    expect(result).toEqual({
      content: 'done',
      cost_usd: 0.5,
      usage: {
        tokens: {
          input_tokens: 10,
          output_tokens: 5,
          cache_read_tokens: 3,
          cache_creation_tokens: 0,
          total_tokens: 15,
        },
        model_id: 'm-1',
        service_tier: 'standard',
      },
    });
    expect(duration_ms).toBeGreaterThan(0);
  });

  it('returns null for unknown cost and usage', async () => {
    const { client } = bench.fake([sessionStart, text('done')]);
    const result = await client.runOnce({ agent: 'fake', prompt: 'go', system_prompt: null, cwd: null });
    expect(result).toMatchObject({ content: 'done', cost_usd: null, usage: null });
  });

  it('reports the activity while it runs, in five kinds', async () => {
    const { client } = bench.fake(everything);
    const seen: AgentActivityEvent[] = [];
    await client.runOnce({ agent: 'fake', prompt: 'go', on_activity: (each) => void seen.push(each) });
    expect(seen).toEqual([
      { kind: 'session', model: 'm-1', tools: 2, cwd: '/w' },
      { kind: 'thinking', text: 'hm' },
      { kind: 'tool_use', tool_call_id: 't', name: 'Bash', input: { command: 'ls' } },
      { kind: 'tool_result', tool_call_id: 't', status: 'ok', output: 'a.txt' },
      { kind: 'tool_use', tool_call_id: 'u', name: 'Edit', input: null },
      { kind: 'tool_result', tool_call_id: 'u', status: 'error', output: 'no' },
      { kind: 'assistant_text', text: 'done' },
    ]);
  });

  it('excludes subagent text from the answer and the activity', async () => {
    const parentToolCallId = 't';
    const { client } = bench.fake([
      sessionStart,
      event({ type: 'tool_call_ready', ...tool, input: {} }),
      event({ type: 'thinking_delta', delta: 'sub thinks', parentToolCallId }),
      event({ type: 'text_delta', delta: 'sub says', parentToolCallId }),
      event({ type: 'tool_result', ...tool, output: 'sub says' }),
      text('done'),
      turnEnd,
    ]);
    const seen: AgentActivityEvent[] = [];
    const on_activity = (each: AgentActivityEvent) => void seen.push(each);
    expect(await client.runOnce({ agent: 'fake', prompt: 'go', on_activity })).toMatchObject({ content: 'done' });
    expect(seen.filter(({ kind }) => kind === 'assistant_text' || kind === 'thinking')).toEqual([
      { kind: 'assistant_text', text: 'done' },
    ]);
  });

  it('ignores errors of the activity callback, sync or async', async () => {
    const { client } = bench.fake(everything);
    const failing = [
      () => {
        throw new Error('watcher');
      },
      () => Promise.reject(new Error('watcher')) as never,
    ];
    for (const on_activity of failing) {
      expect(await client.runOnce({ agent: 'fake', prompt: 'go', on_activity })).toMatchObject({ content: 'done' });
    }
  });

  it('accepts a folder, a system prompt, a trace and any other option', async () => {
    const cwd = bench.folder();
    const trace = join(cwd, 'trace.jsonl');
    const { client } = bench.fake([{ do: 'read-all' }, { do: 'describe' }, sessionStart, text('{{stdin}}')], {
      capabilities: { systemPrompt: { append: 'prefix' } },
    });
    const result = await client.runOnce({
      agent: 'fake',
      prompt: 'the task',
      system_prompt: 'be brief',
      cwd,
      trace_output_path: trace,
      options: { env: { FAKE_AGENT_COLOR: 'red' } },
    });
    expect(result.content).toMatch(/be brief[\s\S]*the task/);
    expect(readFileSync(trace, 'utf8')).toContain('the task');
    expect(readFileSync(trace, 'utf8')).toContain('FAKE_AGENT_COLOR');
  });

  it('passes a system prompt to a live agent without native support', async () => {
    const { client } = bench.fake(live([text('{{turn}}'), turnEnd]), {
      capabilities: { systemPrompt: { append: 'prefix' } },
    });
    const { content } = await client.runOnce({ agent: 'fake', prompt: 'the task', system_prompt: 'be brief' });
    expect(content).toMatch(/be brief[\s\S]*the task/);
  });

  it('throws the failure and whether it is retryable', async () => {
    const limited = event({ type: 'rate_limit_error', message: 'later', retrying: true, resetsAt: 5 });
    const failing = bench.fake([sessionStart, limited, { do: 'hang' }]).client.runOnce({ agent: 'fake', prompt: 'go' });
    await expect(failing).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryable: true,
      data: { result: { error: { resetsAt: 5 } } },
    });
    const crashing = bench.fake([{ do: 'exit', code: 1 }]).client.runOnce({ agent: 'fake', prompt: 'go' });
    await expect(crashing).rejects.toMatchObject({ code: 'AGENT_CRASH', retryable: true });
  });

  it('rejects with what run would throw and lists the agents if none is set', async () => {
    const { client } = bench.fake(everything);
    await expect(client.runOnce({ agent: 'fake', prompt: '' })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(client.runOnce({ prompt: 'go' })).rejects.toThrow(/agent: is missing; one of fake/);
    await expect(client.runOnce({ agent: 'fake', prompt: 'go', signal: 1 as never })).rejects.toThrow(/AbortSignal/);
  });

  it('ends the child when its signal is aborted', async () => {
    const controller = new AbortController();
    const { client } = bench.fake([sessionStart, text('working'), { do: 'hang' }]);
    const running = client.runOnce({
      agent: 'fake',
      prompt: 'go',
      signal: controller.signal,
      options: { runId: 'once' },
      on_activity: (each) => each.kind === 'assistant_text' && controller.abort('enough'),
    });
    await expect(running).rejects.toMatchObject({ code: 'ABORTED', message: 'enough' });
    expect(nothingLeftOf({ runId: 'once' } as RunHandle)).toBe(true);
  });
});
