import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { EventBody, RequestAnswer, ResolvedRunOptions } from '@agent-mux/core';
import {
  assertDeterministic,
  createParseContext,
  createResolvedOptions,
  type LiveAct,
  only,
  parseRecording,
  replayLive,
  replayOneshot,
  shapeOf,
} from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { ompAdapter } from './index.ts';
import { ompCodec } from './live.ts';
import { kindOfOmpCall } from './tool-kinds.ts';

const adapter = ompAdapter;

function recording(name: string): Buffer {
  return readFileSync(new URL(`./recordings/${name}`, import.meta.url));
}

function oneshot(name: string): EventBody[] {
  return assertDeterministic((options) => replayOneshot(adapter, recording(`${name}.jsonl`), options));
}

/** Lines to the agent become actions of the caller; the codec sends the rest itself. */
function actOf(line: string): LiveAct | undefined {
  const said = JSON.parse(line);
  if (said.type === 'prompt') return { act: 'turn', text: said.message };
  if (said.type !== 'extension_ui_response') return undefined;
  const answer: RequestAnswer = {
    kind: 'approval',
    answer: { decision: said.value === 'Approve' ? 'allow' : 'deny' },
  };
  return { act: 'resolve', requestId: said.id, answer };
}

function live(name: string) {
  const lines = parseRecording(recording(`${name}.txt`));
  return assertDeterministic((options) => replayLive(ompCodec, lines, { ...options, actOf }));
}

describe('one-shot process', () => {
  it('streams an answer', () => {
    const events = oneshot('hello');
    expect(shapeOf(events)).toEqual([
      'session_start',
      'message_start',
      'text_delta',
      'message_stop',
      'cost',
      'turn_end',
    ]);
    expect(only(events, 'session_start')).toEqual([
      { type: 'session_start', sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/), cwd: '/workspace' },
    ]);
    expect(only(events, 'cost')[0]).toMatchObject({ scope: 'delta', source: 'reported', model: 'lab/scripted' });
    expect(only(events, 'turn_end')).toEqual([{ type: 'turn_end', status: 'completed', stopReason: 'stop' }]);
  });

  it('separates thinking from text', () => {
    expect(shapeOf(oneshot('thinking')).slice(1, 6)).toEqual([
      'message_start',
      'thinking_start',
      'thinking_delta',
      'thinking_stop',
      'text_delta',
    ]);
  });

  it('names a call when its input is complete, and its result', () => {
    const events = oneshot('tool');
    expect(only(events, 'tool_call_ready')[0]).toMatchObject({ toolCallId: 'toolu_1', toolName: 'bash' });
    expect(only(events, 'tool_result')[0]).toMatchObject({ toolCallId: 'toolu_1', toolName: 'bash', exitCode: 0 });
  });

  it('reports a failed command as an error', () => {
    const [error] = only(oneshot('tool-error'), 'tool_error');
    expect(error).toMatchObject({ toolName: 'bash', error: expect.stringContaining('exited with code 3') });
    expect(error?.denied).toBeUndefined();
  });

  it('reports a call that needed an approval as denied', () => {
    expect(only(oneshot('approval-no-ui'), 'tool_error')).toMatchObject([{ toolName: 'bash', denied: true }]);
  });
});

describe('failures', () => {
  it.each([
    ['auth-error', { type: 'auth_error', message: '401 scripted 401' }],
    ['rate-limit', { type: 'rate_limit_error', message: '429 scripted 429', retryAfterMs: 30_000, retrying: false }],
    ['drop', { type: 'error', code: 'NETWORK_ERROR', recoverable: true }],
    ['context-exceeded', { type: 'context_exceeded', usedTokens: 250_000, maxTokens: 200_000 }],
  ] as const)('%s', (name, expected) => {
    const events = oneshot(name);
    expect(events.at(-2)).toMatchObject(expected);
    expect(only(events, 'turn_end')).toEqual([{ type: 'turn_end', status: 'failed', stopReason: 'error' }]);
  });

  it.each([
    ['Error: Session "x" not found.', { type: 'error', code: 'SESSION_NOT_FOUND' }],
    ['Error: unknown flag: --x', { type: 'error', code: 'AGENT_ERROR', message: 'unknown flag: --x' }],
  ])('stderr: %s', (line, expected) => {
    expect(adapter.parseEvent(line, createParseContext({ source: 'stderr' }))).toMatchObject(expected);
  });
});

describe('conversation over rpc', () => {
  const stateReply = JSON.stringify({
    id: 'mux-1',
    type: 'response',
    command: 'get_state',
    success: true,
    data: { sessionId: 's' },
  });
  const promptReply = (more: object) => JSON.stringify({ id: 'mux-2', type: 'response', command: 'prompt', ...more });

  it('asks for a tool and runs it when it is allowed', () => {
    const { events, sent } = live('approval');
    expect(only(events, 'approval_request')).toMatchObject([
      {
        toolName: 'bash',
        toolCallId: 'toolu_1',
        title: 'bash: echo approved',
        input: { command: 'echo approved', request: { words: 'Command: echo approved' } },
        options: [{ kind: 'allow_once' }, { kind: 'deny_once' }],
      },
    ]);
    expect(JSON.parse(sent.at(-1)?.line ?? '')).toMatchObject({ type: 'extension_ui_response', value: 'Approve' });
    expect(only(events, 'tool_result')[0]?.toolCallId).toBe('toolu_1');
    expect(only(events, 'turn_end')).toHaveLength(1);
  });

  it('streams the input of a call', () => {
    const { events } = live('approval');
    const input = only(events, 'tool_input_delta').map(({ delta }) => delta);
    expect(JSON.parse(input.join(''))).toEqual(only(events, 'tool_call_ready')[0]?.input);
  });

  it('ends a denied call as denied', () => {
    const { events, sent } = live('approval-denied');
    expect(JSON.parse(sent.at(-1)?.line ?? '')).toMatchObject({ value: 'Deny' });
    expect(only(events, 'tool_error')).toMatchObject([{ toolCallId: 'toolu_1', denied: true }]);
    expect(only(events, 'tool_result')).toEqual([]);
  });

  it('asks for two calls of one tool in order', () => {
    const call = (id: string) =>
      JSON.stringify({
        type: 'message_update',
        assistantMessageEvent: { type: 'toolcall_end', toolCall: { id, name: 'bash', arguments: { command: id } } },
      });
    const ask = (id: string) =>
      JSON.stringify({ type: 'extension_ui_request', id, method: 'select', title: 'Allow tool: bash\nCommand: x' });
    const { events } = replayLive(ompCodec, [stateReply, call('one'), call('two'), ask('a'), ask('b')], {
      inputs: ['hello'],
      waitForSession: true,
    });
    expect(only(events, 'approval_request').map(({ toolCallId }) => toolCallId)).toEqual(['one', 'two']);
  });

  it('reports a call of an MCP server as such', () => {
    const toolName = 'mcp__mux_my_server_look_up';
    const update = (more: object) =>
      JSON.stringify({ type: 'message_update', assistantMessageEvent: { contentIndex: 0, ...more } });
    const lines = [
      stateReply,
      update({ type: 'toolcall_start', partial: { content: [{ type: 'toolCall', id: 't', name: toolName }] } }),
      update({ type: 'toolcall_delta', delta: '{}' }),
      update({ type: 'toolcall_end', toolCall: { id: 't', name: toolName, arguments: {} } }),
      JSON.stringify({ type: 'tool_execution_start', toolCallId: 't', toolName, args: {} }),
      JSON.stringify({
        type: 'tool_execution_end',
        toolCallId: 't',
        toolName,
        result: { content: [{ type: 'text', text: 'found' }] },
      }),
    ];
    const mcpServers = { 'my.server': { command: 'x' } };
    const { events } = replayLive(ompCodec, lines, {
      inputs: ['hello'],
      waitForSession: true,
      options: { mcpServers },
    });
    const named = { toolCallId: 't', server: 'my.server', toolName: 'look_up' };
    expect(events.slice(1)).toEqual([
      { type: 'mcp_tool_call_start', ...named, input: {} },
      { type: 'mcp_tool_result', ...named, output: 'found' },
    ]);
  });

  it('continues while a background command will bring more', () => {
    const lines = [
      stateReply,
      promptReply({ success: true }),
      '{"type":"agent_start"}',
      '{"type":"agent_end","isTerminal":false}',
      '{"type":"agent_start"}',
      '{"type":"agent_end","isTerminal":true}',
    ];
    const { events } = replayLive(ompCodec, lines, { inputs: ['hello'], waitForSession: true });
    expect(only(events, 'turn_end')).toHaveLength(1);
    expect(events.at(-1)?.type).toBe('turn_end');
  });

  it.each([
    [[promptReply({ success: true, data: { agentInvoked: false } })]],
    [[promptReply({ success: true }), '{"type":"prompt_result","id":"mux-2","agentInvoked":false}']],
  ])('ends a turn without a model request: %j', (lines) => {
    const { events } = replayLive(ompCodec, [stateReply, ...lines], { inputs: ['/help'], waitForSession: true });
    expect(only(events, 'turn_end')).toEqual([{ type: 'turn_end', status: 'completed' }]);
  });

  it('fails the turn of a prompt that is accepted and then refused', () => {
    const lines = [
      stateReply,
      promptReply({ success: true }),
      promptReply({ success: false, error: 'No API key found' }),
    ];
    const { events } = replayLive(ompCodec, lines, { inputs: ['hello'], waitForSession: true });
    expect(events.slice(1)).toMatchObject([{ type: 'auth_error' }, { type: 'turn_end', status: 'failed' }]);
  });

  it('stops the native run that an interrupted turn left, and emits nothing of it', () => {
    const run = (stopReason: string) => [
      '{"type":"agent_start"}',
      JSON.stringify({ type: 'message_end', message: { role: 'assistant', stopReason } }),
      '{"type":"agent_end","isTerminal":true}',
    ];
    const [started = '', ...ended] = run('aborted');
    const lines = [stateReply, promptReply({ success: true }), started, { act: 'interrupt' } as const, ...ended];
    const { events, sent } = replayLive(ompCodec, [...lines, ...run('aborted')], {
      inputs: ['hello'],
      waitForSession: true,
    });
    expect(only(events, 'turn_end')).toMatchObject([{ status: 'interrupted' }]);
    expect(sent.map(({ line }) => JSON.parse(line).type)).toEqual(['get_state', 'prompt', 'abort', 'abort']);
  });

  it('sends no unknown command to stop a run', () => {
    const state = ompCodec.open(createResolvedOptions());
    expect(ompCodec.interrupt?.(state).map((line) => JSON.parse(line).type)).toEqual(['abort']);
  });
});

const ID = '7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90';

describe('launch of omp', () => {
  const launch = (options: Partial<ResolvedRunOptions> = {}) => {
    const { args, files, stdin } = adapter.buildSpawnArgs(
      createResolvedOptions({ mode: 'rpc', approvalMode: 'prompt', scratchDir: '/scratch', ...options }),
    );
    const level = args.find((arg) => arg.startsWith('--approval-mode='))?.split('=')[1];
    return { args, files, stdin, level, settings: JSON.parse(files?.['omp-settings.yml'] ?? '{}') };
  };

  it.each([
    ['prompt', 'always-ask', 'prompt', 'prompt'],
    ['deny', 'always-ask', 'prompt', 'prompt'],
    ['plan', 'always-ask', 'deny', 'deny'],
    ['accept-edits', 'always-ask', 'allow', 'prompt'],
    ['yolo', 'yolo', undefined, undefined],
  ] as const)('%s starts it with %s', (approvalMode, level, edits, commands) => {
    const started = launch({ approvalMode });
    expect(started.level).toBe(level);
    expect(started.args).toContain('--config=/scratch/omp-settings.yml');
    const { approval } = started.settings.tools;
    expect([approval.write, approval.bash]).toEqual([edits, commands]);
  });

  it('allows an allowed tool, but never in plan mode, and no denied one', () => {
    expect(launch({ allowedTools: ['bash'] }).settings.tools.approval.bash).toBe('allow');
    expect(launch({ allowedTools: ['bash'], approvalMode: 'plan' }).settings.tools.approval.bash).toBe('deny');
    expect(launch({ deniedTools: ['bash'], approvalMode: 'yolo' }).settings.tools.approval.bash).toBe('deny');
  });

  it('lets no pattern and no detour of a project allow a command', () => {
    expect(launch().settings).toMatchObject({ bash: { patterns: [] }, tools: { xdev: false } });
    expect(launch({ approvalMode: 'yolo' }).settings.bash).toBeUndefined();
  });

  it('does not wait silently for as long as the model asks it to', () => {
    expect(launch().settings.retry).toEqual({ maxDelayMs: 2000 });
  });

  it('passes MCP servers as a plugin', () => {
    const { args, files, settings } = launch({ mcpServers: { one: { command: 'x' } } });
    expect(args.at(-1)).toBe('--plugin-dir=/scratch/mux');
    expect(JSON.parse(files?.['mux/.mcp.json'] ?? '')).toEqual({ mcpServers: { one: { command: 'x' } } });
    expect(settings.tools.xdev).toBe(false);
  });

  it('runs no value of an MCP server as a command, and substitutes none', () => {
    const field = (mcpServers: ResolvedRunOptions['mcpServers']) => () => launch({ mcpServers });
    expect(field({ one: { command: 'x', env: { TOKEN: '!touch x' } } })).toThrow('mcpServers.one.env.TOKEN: ');
    const headers = { authorization: `Bearer \${HOME}` };
    expect(field({ two: { type: 'http', url: 'http://127.0.0.1:1', headers } })).toThrow('mcpServers.two.headers');
  });

  it('passes the prompt of a one-shot process on stdin and its attachments as files', () => {
    const attachments = [{ path: '/a/dot.png', mimeType: 'image/png', name: 'dot.png' }];
    const { args, stdin } = launch({ mode: 'json', prompt: '-x', attachments });
    expect(args.at(-1)).toBe('@/a/dot.png');
    expect(stdin).toBe('-x');
  });

  it.each([
    [{ sessionId: ID }, ['--resume', ID]],
    [{ forkSessionId: ID }, ['--fork', ID]],
    [{ noSession: true }, ['--no-session']],
    [{ thinkingEffort: 'xhigh' }, ['--thinking=xhigh']],
    [{ addDirs: ['/a', '/b'] }, ['--add-dir=/a', '--add-dir=/b']],
    [{ systemPrompt: 'Rhyme.' }, ['--append-system-prompt', '/scratch/system-prompt.md']],
  ] satisfies [Partial<ResolvedRunOptions>, string[]][])('%j', (options, expected) => {
    expect(launch(options).args.slice(5)).toEqual(expected);
  });
});

describe('auth and config of omp', () => {
  it('stores sessions by folder', () => {
    expect(adapter.sessionDir('/srv/my.app')).toMatch(/\.omp\/agent\/sessions\/--srv-my\.app--$/);
  });

  it('looks for a stored login in its database without reading its secrets', async () => {
    const home = mkdtempSync(join(tmpdir(), 'omp-login-'));
    try {
      mkdirSync(join(home, '.omp/agent'), { recursive: true });
      using database = new DatabaseSync(join(home, '.omp/agent/agent.db'));
      database.exec(`CREATE TABLE auth_credentials (id INTEGER PRIMARY KEY, provider TEXT NOT NULL,
        credential_type TEXT NOT NULL, data TEXT NOT NULL, disabled_cause TEXT DEFAULT NULL)`);
      const add = database.prepare(
        'INSERT INTO auth_credentials (provider, credential_type, data, disabled_cause) VALUES (?, ?, ?, ?)',
      );
      add.run('openai', 'api_key', '{"key":"hush"}', 'revoked');
      expect(await adapter.detectAuth({ HOME: home })).toEqual({ status: 'unauthenticated' });
      add.run('anthropic', 'oauth', '{"access":"hush"}', null);
      expect(await adapter.detectAuth({ HOME: home })).toEqual({
        status: 'authenticated',
        method: 'oauth',
        details: '~/.omp/agent/agent.db has a login for anthropic',
      });
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  it('recognizes a key of a provider from the environment', async () => {
    expect(await adapter.detectAuth({ HOME: '/nowhere' })).toEqual({ status: 'unauthenticated' });
    expect(await adapter.detectAuth({ HOME: '/nowhere', OPENAI_API_KEY: 'x' })).toMatchObject({
      status: 'authenticated',
    });
  });
});

describe('kind of a call', () => {
  it('is determined by its path if that is an address', () => {
    const kinds = (toolName: string, ...paths: unknown[]) => paths.map((path) => kindOfOmpCall(toolName, { path }));
    expect(kinds('read', 'src/a.ts:50-200', '/etc/hosts', 'db.sqlite:users:42', 7)).toEqual(Array(4).fill(undefined));
    expect(kinds('read', 'https://x.dev', ' HTTP://x', 'www.x.dev', 'localhost:8080/', 'ssh://h/p')).toEqual(
      Array(5).fill('fetch'),
    );
    expect(kinds('write', 'xd://browser', 'ssh://host/etc/x')).toEqual(['execute', 'execute']);
    expect(kinds('write', 'a.txt')).toEqual([undefined]);
  });
});
