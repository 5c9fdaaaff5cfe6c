import { only, shapeOf, textOf } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { exec } from '../../test/replay-droid.ts';

describe('lines of droid exec', () => {
  it('emits a whole answer and its tokens', () => {
    const events = exec('hello');
    expect(shapeOf(events)).toEqual([
      'session_start',
      'message_start',
      'text_delta',
      'message_stop',
      'cost',
      'turn_end',
    ]);
    expect(only(events, 'cost')[0]?.usage).toMatchObject({ inputTokens: 200, outputTokens: 34, cacheReadTokens: 1000 });
  });

  it('emits thinking once, though it is printed twice', () => {
    expect(only(exec('thinking'), 'thinking_delta')).toEqual([{ type: 'thinking_delta', delta: 'deep thoughts here' }]);
  });

  it('emits a call and its outcome', () => {
    expect(only(exec('tool'), 'tool_result')[0]).toMatchObject({ toolName: 'Execute', exitCode: 0 });
    const [error] = only(exec('tool-error'), 'tool_error');
    expect(error?.error).toContain('No such file or directory');
    expect(error?.denied).toBeUndefined();
  });

  it('ends at a refusal without a failure, and without the CLI message as an answer', () => {
    const events = exec('approval-denied');
    expect(only(events, 'tool_error')[0]?.denied).toBe(true);
    expect(only(events, 'turn_end')[0]?.status).toBe('completed');
    expect(textOf(events)).toBe('Calling a tool. ');
  });

  it('reports a failure once, by its kind', () => {
    expect(only(exec('auth-error'), 'auth_error', 'error')).toMatchObject([{ type: 'auth_error' }]);
    expect(only(exec('drop'), 'auth_error', 'error')).toMatchObject([{ type: 'error', code: 'NETWORK_ERROR' }]);
  });
});
