import { createParseContext, only, replayOneshot } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { adapter, exec, recording, shape } from '../../../test/replay-codex.ts';

describe('codex exec', () => {
  it('streams an answer', () => {
    expect(shape(exec('hello'))).toEqual(['session_start', 'message_start', 'text_delta', 'message_stop', 'turn_end']);
  });

  it('emits thinking before the answer', () => {
    const events = exec('thinking');
    expect(only(events, 'thinking_delta')).toEqual([{ type: 'thinking_delta', delta: '**Pondering** deeply.' }]);
    expect(only(events, 'cost')).toMatchObject([{ scope: 'session', usage: { inputTokens: 200, outputTokens: 34 } }]);
  });

  it('reports failed tools and tools of MCP servers', () => {
    expect(only(exec('tool-error'), 'tool_error')).toMatchObject([{ toolName: 'exec_command', error: 'oops' }]);
    expect(only(exec('mcp'), 'mcp_tool_call_start', 'mcp_tool_result')).toMatchObject([
      { server: 'calc', toolName: 'add', input: { a: 2, b: 3 } },
      { server: 'calc', toolName: 'add', output: [{ type: 'text', text: '5' }] },
    ]);
  });

  it.each([
    ['auth-error', 'auth_error'],
    ['rate-limit', 'rate_limit_error'],
    ['server-error', 'error'],
    ['drop', 'error'],
    ['bad-request', 'error'],
  ] as const)('reports %s once', (name, type) => {
    const events = exec(name);
    const reported = only(events, type).filter((event) => !('retrying' in event && event.retrying));
    expect(reported).toHaveLength(1);
    expect(events.at(-1)).toEqual({ type: 'turn_end', status: 'failed' });
  });

  it('classifies failures', () => {
    expect(only(exec('server-error'), 'error')[0]?.code).toBe('SERVER_ERROR');
    expect(only(exec('drop'), 'error')[0]?.code).toBe('NETWORK_ERROR');
    expect(only(exec('bad-request'), 'error')[0]).toMatchObject({ code: 'AGENT_ERROR', message: 'scripted 400' });
    expect(only(exec('rate-limit'), 'rate_limit_error')[0]?.retrying).toBe(true);
  });

  it('reports no tokens for a resumed run: the count is that of the whole thread', () => {
    const context = createParseContext({ resumed: true });
    const lines = recording('exec-resume.jsonl').toString().split('\n').filter(Boolean);
    const events = lines.flatMap((line) => adapter.parseEvent(line, context) ?? []);
    expect(only(events, 'cost')).toEqual([]);
    expect(events.at(-1)).toEqual({ type: 'turn_end', status: 'completed' });
  });

  it('reads start failures from stderr and ignores its log', () => {
    const stderr = [
      '\u001b[2m2026-11-15T23:08:27Z\u001b[0m ERROR codex_app_server: no bubblewrap, 429',
      'Error: thread/resume: thread/resume failed: no rollout found for thread id 01a1 (code -32600)',
      'Error loading config.toml: unknown variant `bogus`, expected one of `untrusted`',
    ];
    expect(replayOneshot(adapter, [], { stderr })).toMatchObject([
      { type: 'error', code: 'SESSION_NOT_FOUND' },
      { type: 'error', code: 'AGENT_ERROR' },
    ]);
  });
});
