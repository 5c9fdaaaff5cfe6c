import { readFileSync } from 'node:fs';
import { assertDeterministic, createParseContext, createResolvedOptions, replayOneshot } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { splitToolName } from '../shared/mcp-servers.ts';
import { GOOSE_ACP } from './dialect.ts';
import { readGooseProse } from './errors.ts';
import { gooseAdapter } from './index.ts';

const adapter = gooseAdapter;

function events(name: string, options: Parameters<typeof createResolvedOptions>[0] = {}) {
  const bytes = readFileSync(new URL(`./recordings/${name}.jsonl`, import.meta.url));
  return assertDeterministic((given) =>
    replayOneshot(adapter, bytes, { ...given, exit: { code: 0, signal: null }, options: { mode: 'run', ...options } }),
  );
}

const types = (name: string) => events(name).map(({ type }) => type);

describe('goose run --output-format stream-json', () => {
  it('reads the session from the banner, since no record names it', () => {
    expect(events('hello')[0]).toMatchObject({ type: 'session_start', sessionId: '20261115_1' });
  });

  it('streams text and counts the tokens of the session', () => {
    const said = events('hello').map((event) => (event.type === 'text_delta' ? event.delta : ''));
    expect(said.join('')).toBe('PONG: say hello');
    expect(events('hello')).toContainEqual(
      expect.objectContaining({ type: 'cost', scope: 'session', usage: expect.objectContaining({ outputTokens: 34 }) }),
    );
  });

  it('counts nothing of a resumed session: its total includes earlier turns', () => {
    const context = createParseContext({ resumed: true, options: createResolvedOptions({ mode: 'run' }) });
    const complete = JSON.stringify({ type: 'complete', total_tokens: 2468, input_tokens: 2400, output_tokens: 68 });
    expect(adapter.parseEvent(complete, context)).toEqual([]);
  });

  it('separates thinking from text', () => {
    expect(types('thinking').indexOf('thinking_delta')).toBeLessThan(types('thinking').indexOf('text_delta'));
  });

  it('joins a tool call to its result, with the exit code', () => {
    const all = events('tool');
    expect(all).toContainEqual(expect.objectContaining({ type: 'tool_call_ready', toolName: 'shell' }));
    expect(all).toContainEqual(expect.objectContaining({ type: 'tool_result', toolCallId: 'call_2', exitCode: 0 }));
  });

  it('reports a failed command as a tool error', () => {
    expect(types('tool-error')).toContain('tool_error');
    expect(types('tool-error')).not.toContain('tool_result');
  });

  it.each([
    ['auth-error', 'auth_error'],
    ['server-error', 'error'],
  ])('reports %s, though the CLI prints it as model output and exits with 0', (name, type) => {
    expect(types(name)).toContain(type);
    expect(types(name)).not.toContain('text_delta');
    expect(events(name).at(-1)).toMatchObject({ type: 'turn_end', status: 'failed' });
  });

  it('does not complete a turn by its last record, which comes after an interrupt too', () => {
    const context = createParseContext({ options: createResolvedOptions({ mode: 'run' }) });
    expect(adapter.parseEvent('{"type":"complete","total_tokens":null}', context)).toEqual([]);
  });

  it('reports a missing session', () => {
    const context = createParseContext({ options: createResolvedOptions({ mode: 'run' }) });
    const line = '  error: Cannot resume session 20216661_8 - no such session exists';
    expect(adapter.parseEvent(line, context)).toMatchObject([{ type: 'error', code: 'SESSION_NOT_FOUND' }]);
  });
});

describe('goose messages in place of model output', () => {
  it.each([
    ['Authentication error: Authentication failed. Status: 401 Unauthorized', 'auth_error'],
    ['Rate limit exceeded: slow down', 'rate_limit_error'],
    ['Request failed: Bad request (400): maximum context length is 8000 tokens', 'context_exceeded'],
  ])('are errors in the known format: %s', (message, type) => {
    const prose = `Ran into this error: ${message}.\n\nPlease retry if you think this is a transient or recoverable error.`;
    expect(readGooseProse(prose)).toMatchObject([{ type, message }]);
  });

  it('are errors in its other formats too', () => {
    const network = 'Network error: Could not connect to 127.0.0.1:1.\n\nPlease resend your message to try again.';
    expect(readGooseProse(network)).toMatchObject([{ type: 'error', code: 'NETWORK_ERROR' }]);
    const full = 'Unable to continue: Context limit still exceeded after compaction. Try using a shorter message.';
    expect(readGooseProse(full)).toMatchObject([{ type: 'context_exceeded' }]);
  });

  it('are left alone if they come from the model', () => {
    expect(readGooseProse('Ran into this error: the build fails. I shall fix it.')).toBeNull();
    expect(readGooseProse('Network error: that is what the log says.\n\nPlease try again after the fix.')).toBeNull();
  });
});

describe('goose over ACP', () => {
  const call = (toolName: string, extensionName: string) => ({
    sessionUpdate: 'tool_call',
    _meta: { goose: { toolCall: { toolName, extensionName } } },
  });

  it('names a tool as the model does', () => {
    expect(GOOSE_ACP.toolName?.(call('shell', 'developer'))).toBe('shell');
    expect(GOOSE_ACP.toolName?.(call('say', 'echo'))).toBe('echo__say');
    expect(GOOSE_ACP.toolName?.(call('echo__say', 'echo'))).toBe('echo__say');
  });

  it('does not treat the summary of ended calls as a new call', () => {
    expect(GOOSE_ACP.toolName?.({ ...call('shell', 'developer'), sessionUpdate: 'tool_call_update' })).toBeUndefined();
  });

  it('distinguishes a tool of an MCP server from one of its extensions', () => {
    expect(splitToolName('echo__say', ['echo'])).toEqual({ server: 'echo', tool: 'say' });
    expect(splitToolName('todo__todo_write', ['echo'])).toBeUndefined();
  });
});

describe('launch of goose', () => {
  const launch = (options: Parameters<typeof createResolvedOptions>[0]) =>
    adapter.buildSpawnArgs(createResolvedOptions(options));

  it.each([
    ['acp', 'prompt', 'approve'],
    ['acp', 'accept-edits', 'approve'],
    ['acp', 'deny', 'approve'],
    ['acp', 'plan', 'chat'],
    ['acp', 'yolo', 'auto'],
    ['run', 'deny', 'chat'],
    ['run', 'plan', 'chat'],
    ['run', 'yolo', 'auto'],
  ] as const)('starts %s with approval mode %s as %s', (mode, approvalMode, native) => {
    expect(launch({ mode, approvalMode }).env.GOOSE_MODE).toBe(native);
  });

  it('passes the prompt on stdin, so that a leading dash is safe', () => {
    const { args, stdin } = launch({ mode: 'run', prompt: '--help me', approvalMode: 'yolo' });
    expect(stdin).toBe('--help me');
    expect(args).not.toContain('--help me');
  });

  it('resumes by the exact id', () => {
    const { args } = launch({ mode: 'run', sessionId: '20261115_1', approvalMode: 'yolo' });
    expect(args.join(' ')).toContain('--resume --session-id=20261115_1');
  });
});
