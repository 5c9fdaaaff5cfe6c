import { readFileSync } from 'node:fs';
import type { EventBody } from '@agent-mux/core';
import { assertDeterministic, createParseContext, createResolvedOptions, replayOneshot } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { acpCodec } from '../acp/codec.ts';
import { GROK_ACP } from './dialect.ts';
import { grokAdapter } from './index.ts';

const adapter = grokAdapter;

function events(name: string, code = 0): EventBody[] {
  const bytes = readFileSync(new URL(`./recordings/${name}.jsonl`, import.meta.url));
  return assertDeterministic((options) =>
    replayOneshot(adapter, bytes, { ...options, exit: { code, signal: null }, options: { mode: 'messages' } }),
  );
}

/** Parses the log of one process. */
function logged(...lines: string[]) {
  const context = createParseContext({ source: 'stderr', options: createResolvedOptions({ mode: 'messages' }) });
  const events = lines.flatMap((line) => adapter.parseEvent(line, context) ?? []);
  return { events, end: (code: number) => adapter.parseEnd!(context, { code, signal: null }) };
}

describe('grok --output-format streaming-messages-json', () => {
  it('streams text, counts tokens once and ends the turn once', () => {
    const hello = events('hello');
    expect(hello[0]).toMatchObject({ type: 'session_start', sessionId: '01a1e089-e690-7463-ba52-6c9bbafa0cb9' });
    expect(hello.filter(({ type }) => type === 'text_delta')).toHaveLength(3);
    expect(hello.filter(({ type }) => type === 'cost')).toMatchObject([
      { usage: { inputTokens: 200, outputTokens: 34, cacheReadTokens: 1000 }, costUsd: null },
      { usage: { inputTokens: null }, costUsd: 0 },
    ]);
    expect(hello.filter(({ type }) => type === 'turn_end')).toMatchObject([{ status: 'completed' }]);
  });

  it('unwraps command output and reports its exit code', () => {
    expect(events('tool-error').find(({ type }) => type === 'tool_result')).toMatchObject({
      exitCode: 3,
      output: 'exit: 3\nbroken-tool\n',
    });
  });

  it('reports a call that a rule denies as denied', () => {
    const errors = events('deny').filter((event) => event.type === 'tool_error');
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toMatchObject({ denied: true });
  });

  it('has the structured answer, the limit of turns and a full context', () => {
    expect(events('structured').at(-1)).toMatchObject({ structured: { city: 'Ulm', population: 126_000 } });
    expect(events('max-turns', 1).at(-1)).toMatchObject({ type: 'turn_end', status: 'max_turns' });
    expect(events('too-long', 1).map(({ type }) => type)).toContain('context_exceeded');
  });

  it('reports a session and a retry from its log while the stream is silent', () => {
    const { events } = logged(
      `2026-11-16T02:17:59Z  INFO session.spawn{client_type=Generic}: Session '01a1e235-b902-76d1-8f2e-abe1b0543fdb' created with 0 MCP servers`,
      '\u001b[31mERROR\u001b[0m chat/completions API error \u001b[3mstatus\u001b[0m=500 Internal Server Error error_message=x',
      'ERROR chat/completions API error status=429 Too Many Requests',
    );
    expect(events).toMatchObject([
      { type: 'session_start', sessionId: '01a1e235-b902-76d1-8f2e-abe1b0543fdb' },
      { type: 'retry', attempt: 1, by: 'agent' },
      { type: 'rate_limit_error', retrying: true },
    ]);
  });

  it('voids the streamed text after a broken connection', () => {
    const { events } = logged('INFO rebuilt sampling client with HTTP/1.1 fallback for retry');
    expect(events.map(({ type }) => type)).toEqual(['session_start', 'message_discard', 'retry']);
  });

  it('recognizes a missing session by its log before it gives up', () => {
    const { end } = logged('Session "x" not found locally, restoring from remote...', 'Error: Failed to authenticate');
    expect(end(1)).toMatchObject([
      { type: 'error', code: 'SESSION_NOT_FOUND' },
      { type: 'turn_end', status: 'failed' },
    ]);
  });
});

describe('launch of grok', () => {
  const launch = (options: Parameters<typeof createResolvedOptions>[0]) =>
    adapter.buildSpawnArgs(createResolvedOptions(options));

  it('denies by rules what the mode does not allow, since a process per turn runs everything else', () => {
    const denied = (approvalMode: 'plan' | 'deny' | 'accept-edits' | 'yolo') =>
      launch({ mode: 'messages', approvalMode }).args.filter((arg) => arg.startsWith('--deny='));
    expect(denied('plan')).toEqual(['--deny=Bash', '--deny=Edit', '--deny=MCPTool', '--deny=WebFetch']);
    expect(denied('deny')).toEqual(denied('plan'));
    expect(denied('accept-edits')).toEqual(['--deny=Bash', '--deny=MCPTool', '--deny=WebFetch']);
    expect(denied('yolo')).toEqual([]);
  });

  it('passes the prompt in a file', () => {
    const { args, files } = launch({ mode: 'messages', approvalMode: 'deny', prompt: '--version' });
    expect(Object.values(files ?? {})).toEqual(['--version']);
    expect(args).not.toContain('--version');
  });

  it('asks for every command, unless the caller wants no requests', () => {
    expect(Object.values(launch({ mode: 'acp', approvalMode: 'prompt' }).files ?? {})[0]).toContain('"decision":"ask"');
    expect(launch({ mode: 'acp', approvalMode: 'yolo' }).files).toEqual({});
  });

  it('rejects a native permission mode over ACP, which has none', () => {
    expect(() => launch({ mode: 'acp', nativePermissionMode: 'dontAsk' })).toThrow(/no permission modes over ACP/);
  });
});

describe('grok agent stdio', () => {
  it('sets in every session whether everything is approved, whatever the configuration says', () => {
    const meta = (approvalMode: 'prompt' | 'yolo') =>
      GROK_ACP.sessionMeta?.(createResolvedOptions({ mode: 'acp', approvalMode }));
    expect(meta('prompt')).toMatchObject({ yoloMode: false, autoMode: false });
    expect(meta('yolo')).toMatchObject({ yoloMode: true });
  });

  it('reports retries from its own notification', () => {
    const notice = (reason: string) =>
      GROK_ACP.readNotice?.('_x.ai/session_notification', {
        update: { sessionUpdate: 'retry_state', type: 'retrying', attempt: 2, max_retries: 15, reason },
      });
    expect(notice('API error (status 500 Internal Server Error)')).toMatchObject([{ type: 'retry', attempt: 2 }]);
    expect(notice('API error (status 429 Too Many Requests)')).toMatchObject([
      { type: 'rate_limit_error', retrying: true },
    ]);
  });

  it('starts a turn only after its MCP servers are connected', () => {
    const codec = acpCodec(GROK_ACP);
    const mcpServers = { calc: { command: 'true' } };
    const state = codec.open(createResolvedOptions({ mode: 'acp', mcpServers }));
    const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: false };
    const heard = (message: object) =>
      codec.decode(JSON.stringify({ jsonrpc: '2.0', ...message }), state, context).events.map(({ type }) => type);
    codec.handshake(state);
    expect(heard({ id: 0, result: { agentCapabilities: {} } })).toEqual([]);
    expect(heard({ id: 1, result: { sessionId: 's' } })).toEqual([]);
    expect(heard({ method: '_x.ai/mcp_initialized', params: { mcpToolCount: 1 } })).toEqual(['session_start']);
  });

  it('voids an answer that starts over', () => {
    const codec = acpCodec(GROK_ACP);
    const state = codec.open(createResolvedOptions({ mode: 'acp' }));
    const context = { now: 0, sessionId: 's', turnIndex: 0, turnActive: true };
    const heard = (message: object) =>
      codec.decode(JSON.stringify({ jsonrpc: '2.0', ...message }), state, context).events.map(({ type }) => type);
    const chunk = (text: string, chunkId: number) => ({
      method: 'session/update',
      params: { update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }, _meta: { chunkId } },
    });
    codec.handshake(state);
    heard({ id: 0, result: { agentCapabilities: {} } });
    heard({ id: 1, result: { sessionId: 's' } });
    codec.turn({ text: 'x', attachments: [] }, state);
    expect(heard(chunk('one', 1))).toEqual(['message_start', 'text_delta']);
    expect(heard(chunk('two', 2))).toEqual(['text_delta']);
    expect(heard(chunk('one', 1))).toEqual(['message_discard', 'text_delta']);
  });
});
