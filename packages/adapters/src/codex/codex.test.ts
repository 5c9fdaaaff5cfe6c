import { readFileSync } from 'node:fs';
import type { EventBody, EventType, RequestAnswer, ResolvedRunOptions } from '@agent-mux/core';
import {
  assertDeterministic,
  type LiveAct,
  makeParseContext,
  makeResolvedOptions,
  parseRecording,
  replayLive,
  replayOneshot,
} from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { appServerCodec } from './app-server/live.ts';
import { readCodexFailure, retryEvent } from './errors.ts';
import { codexAdapter } from './index.ts';
import { launchCodex } from './launch.ts';
import { codexProfile } from './profile.ts';

const adapter = codexAdapter;

function recording(name: string): Buffer {
  return readFileSync(new URL(`./recordings/${name}`, import.meta.url));
}

function exec(name: string): EventBody[] {
  return assertDeterministic((options) => replayOneshot(adapter, recording(`exec-${name}.jsonl`), options));
}

/** Lines to the agent become what the caller of the run did; the codec says the rest itself. */
function actOf(line: string): LiveAct | undefined {
  const said = JSON.parse(line);
  if (said.method === 'turn/start') return { act: 'turn', text: said.params.input[0].text };
  if (said.method === 'turn/steer') return { act: 'steer', text: said.params.input[0].text };
  if (said.method === 'turn/interrupt') return { act: 'interrupt' };
  if (said.method !== undefined || said.result === undefined) return undefined;
  return { act: 'resolve', requestId: String(said.id), answer: answerOf(said.result) };
}

function answerOf(result: { decision?: string; action?: string; _meta?: unknown; answers?: object }): RequestAnswer {
  if (result.answers) {
    const answers = Object.entries(result.answers).map(([id, { answers: given }]) => [id, given]);
    return { kind: 'input', answer: { answers: Object.fromEntries(answers) } };
  }
  const word = result.decision ?? (result._meta ? 'acceptForSession' : result.action);
  const decision = word?.startsWith('accept') ? 'allow' : 'deny';
  return { kind: 'approval', answer: { decision, optionId: word } };
}

/** Replays a conversation that this codec had with Codex 0.166, and checks that it says the same again. */
function live(name: string, options: Partial<ResolvedRunOptions> = {}): EventBody[] {
  const lines = parseRecording(recording(`${name}.txt`));
  const accepted = lines.filter(({ line }) => line.includes('"result":{"decision":"accept"}'));
  const bySelf = options.approvalMode === 'accept-edits' ? accepted.length : 0;
  const replayed = assertDeterministic((more) =>
    replayLive(
      appServerCodec(),
      lines.filter(({ line }) => bySelf === 0 || !accepted.some((one) => one.line === line)),
      { ...more, options: { cwd: '/workspace', ...options }, actOf },
    ),
  );
  const said = lines.filter(({ direction }) => direction === 'out').map(({ line }) => JSON.parse(line));
  expect(replayed.sent.map(({ line }) => JSON.parse(line))).toEqual(said);
  return replayed.events;
}

function only<T extends EventType>(events: readonly EventBody[], ...types: T[]): Extract<EventBody, { type: T }>[] {
  return events.filter((event): event is Extract<EventBody, { type: T }> => types.some((type) => type === event.type));
}

const shape = (events: readonly EventBody[]) =>
  events
    .map(({ type }) => type)
    .filter((type) => type !== 'cost' && type !== 'context_usage')
    .filter((type, i, all) => !(type.endsWith('_delta') && all[i - 1] === type));
const textOf = (events: readonly EventBody[]) =>
  only(events, 'text_delta')
    .map(({ delta }) => delta)
    .join('');

describe('a conversation with the app-server', () => {
  it('opens a thread, thinks, answers and takes a second turn', () => {
    const events = live('two-turns');
    expect(shape(events)).toEqual([
      'session_start',
      'thinking_start',
      'thinking_delta',
      'thinking_stop',
      'message_start',
      'text_delta',
      'message_stop',
      'turn_end',
      'message_start',
      'text_delta',
      'message_stop',
      'turn_end',
    ]);
    expect(only(events, 'session_start')[0]).toMatchObject({
      model: 'gpt-5.5',
      agentVersion: '0.166.0',
      permissionMode: 'untrusted',
    });
  });

  it('counts the tokens of each request, the cached ones beside the others', () => {
    const [first] = only(live('two-turns'), 'cost');
    expect(first).toEqual({
      type: 'cost',
      usage: {
        inputTokens: 250,
        outputTokens: 34,
        cacheReadTokens: 1000,
        cacheCreationTokens: 0,
        totalTokens: 1284,
      },
      costUsd: null,
      scope: 'delta',
      source: 'reported',
      model: 'gpt-5.5',
    });
  });

  it.each(['resume', 'fork'] as const)('counts only its own turn after a %s', (how) => {
    const opening = parseRecording(recording(`${how}.txt`)).find(({ line }) => line.includes(`"thread/${how}"`));
    const id: string = JSON.parse(opening?.line ?? '{}').params.threadId;
    const events = live(how, how === 'fork' ? { forkSessionId: id } : { sessionId: id });
    expect(only(events, 'cost')).toHaveLength(1);
    expect(only(events, 'session_start')[0]?.sessionId === id).toBe(how === 'resume');
  });

  it('does not count what a resumed thread repeats of an earlier turn, whenever that comes', () => {
    const codec = appServerCodec();
    const state = codec.open(makeResolvedOptions({ mode: 'app-server' }));
    Object.assign(state, { threadId: 't', turnId: 'now', turn: 'running' });
    const context = { now: 0, sessionId: 't', turnIndex: 0, turnActive: true };
    const told = (turnId: string) => {
      const params = { threadId: 't', turnId, tokenUsage: { last: { inputTokens: 1, outputTokens: 2 } } };
      return codec.decode(JSON.stringify({ method: 'thread/tokenUsage/updated', params }), state, context).events;
    };
    expect(told('earlier')).toEqual([]);
    expect(only(told('now'), 'cost')).toHaveLength(1);
  });

  it('says that a session is not there', () => {
    const events = live('resume-unknown', { sessionId: '01a1e191-6344-7130-8cbf-84df88aaaaaa' });
    expect(events).toMatchObject([
      { type: 'error', code: 'SESSION_NOT_FOUND' },
      { type: 'turn_end', status: 'failed' },
    ]);
  });

  it('closes the message that an interrupt leaves open', () => {
    const events = live('interrupt', { approvalMode: 'yolo' });
    expect(shape(events)).toEqual([
      'session_start',
      'message_start',
      'text_delta',
      'message_stop',
      'interrupted',
      'turn_end',
      'message_start',
      'text_delta',
      'message_stop',
      'turn_end',
    ]);
    expect(only(events, 'interrupted')).toEqual([{ type: 'interrupted', by: 'caller' }]);
    expect(only(events, 'turn_end').map(({ status }) => status)).toEqual(['interrupted', 'completed']);
  });

  it('goes on in the same turn after a word into it', () => {
    const events = live('steer', { approvalMode: 'yolo' });
    expect(only(events, 'message_start', 'message_stop')).toHaveLength(4);
    expect(textOf(events)).toMatch(/^c0 x+ .*steered$/);
    expect(only(events, 'turn_end')).toHaveLength(1);
  });

  it('sends an interrupt that came before the turn had an id as soon as it has one', () => {
    const codec = appServerCodec();
    const state = codec.open(makeResolvedOptions({ mode: 'app-server' }));
    state.threadId = 't';
    codec.turn({ text: 'x', attachments: [] }, state);
    expect(codec.interrupt?.(state)).toEqual([]);
    const context = { now: 0, sessionId: 't', turnIndex: 0, turnActive: true };
    const { replies } = codec.decode('{"id":0,"result":{"turn":{"id":"turn-1"}}}', state, context);
    expect(replies?.map((line) => JSON.parse(line))).toMatchObject([
      { method: 'turn/interrupt', params: { threadId: 't', turnId: 'turn-1' } },
    ]);
  });

  it('changes model and permissions with the next turn, once', () => {
    const codec = appServerCodec();
    const state = codec.open(makeResolvedOptions({ mode: 'app-server', addDirs: ['/more'] }));
    const turn = () => JSON.parse(codec.turn({ text: 'x', attachments: [] }, state)[0] ?? '').params;
    codec.setModel?.('other', state);
    codec.setApprovalMode?.('accept-edits', state);
    expect(turn()).toMatchObject({
      model: 'other',
      approvalPolicy: 'untrusted',
      sandboxPolicy: { type: 'workspaceWrite', writableRoots: ['/more'], networkAccess: false },
    });
    expect(turn()).not.toHaveProperty('model');
  });
});

describe('tools and what they ask', () => {
  it('asks for commands and patches, and tells what became of them', () => {
    const events = live('approvals');
    expect(only(events, 'approval_request')).toMatchObject([
      { toolName: 'exec_command', kind: 'execute', input: { command: "/bin/bash -lc 'touch a.txt'" } },
      { toolName: 'exec_command', kind: 'execute' },
      { toolName: 'apply_patch', kind: 'edit', input: { paths: ['/workspace/p.txt'] } },
      { toolName: 'exec_command' },
      { toolName: 'exec_command' },
    ]);
    expect(only(events, 'approval_request')[0]?.options.map(({ id }) => id)).toEqual([
      'accept',
      'acceptForSession',
      'decline',
      'cancel',
    ]);
    expect(only(events, 'tool_result', 'tool_error')).toMatchObject([
      { type: 'tool_result', exitCode: 0 },
      { type: 'tool_error', denied: true },
      { type: 'tool_result', toolName: 'apply_patch' },
      { type: 'tool_result', exitCode: 0 },
      { type: 'tool_error', denied: true },
    ]);
    expect(only(events, 'file_change')).toMatchObject([
      { path: '/workspace/p.txt', change: 'create', diff: 'hello\n' },
    ]);
    expect(only(events, 'turn_end').at(-1)?.status).toBe('interrupted');
  });

  it('hands on all that a request says, and says what is allowed for the session', () => {
    const [command, , patch] = only(live('approvals'), 'approval_request');
    expect(command?.input).toMatchObject({
      cwd: '/workspace',
      proposedExecpolicyAmendment: ['touch', 'a.txt'],
      environmentId: 'local',
    });
    expect(patch?.input).toMatchObject({ changes: [{ path: '/workspace/p.txt', diff: 'hello\n' }] });
    expect(patch?.options[1]?.label).toBe('Yes, and changes of these files again in this session');
    const params = { itemId: 'x', permissions: { network: true }, cwd: '/elsewhere', reason: 'why' };
    const request = JSON.stringify({ id: 9, method: 'item/permissions/requestApproval', params });
    const { events } = replayLive(appServerCodec(), [request]);
    expect(only(events, 'approval_request')[0]?.input).toEqual({
      permissions: { network: true },
      cwd: '/elsewhere',
      reason: 'why',
    });
  });

  it('lets patches inside the folders pass when edits are accepted, and asks for all else', () => {
    const events = live('accept-edits', { approvalMode: 'accept-edits' });
    expect(only(events, 'approval_request')).toMatchObject([
      { toolName: 'apply_patch', kind: 'edit', beyond: true, input: { paths: ['/elsewhere/outside.txt'] } },
      { toolName: 'exec_command', kind: 'execute' },
    ]);
    expect(only(events, 'file_change').map(({ path }) => path)).toEqual(['/workspace/inside.txt']);
  });

  it('tells a patch by the gravest that it does to a file', () => {
    const changes = (...kinds: object[]) => kinds.map((kind, at) => ({ path: `/w/${at}`, diff: '', kind }));
    const kindOf = (...kinds: object[]) => {
      const item = { type: 'fileChange', id: 'p', status: 'inProgress', changes: changes(...kinds) };
      const lines = [
        { method: 'item/started', params: { item } },
        { id: 5, method: 'item/fileChange/requestApproval', params: { itemId: 'p' } },
      ];
      const { events } = replayLive(
        appServerCodec(),
        lines.map((line) => JSON.stringify(line)),
      );
      return only(events, 'tool_call_ready', 'approval_request').map(({ kind }) => kind);
    };
    expect(kindOf({ type: 'add' }, { type: 'update', move_path: null })).toEqual(['edit', 'edit']);
    expect(kindOf({ type: 'update', move_path: '/w/new' })).toEqual(['move', 'move']);
    expect(kindOf({ type: 'delete' }, { type: 'add' })).toEqual(['delete', 'delete']);
  });

  it('says why something was denied into the running turn, unless that is stopped', () => {
    const codec = appServerCodec();
    const say = (
      answer: { decision: 'deny'; message?: string; optionId?: string },
      turnId: string | null = 'turn-1',
    ) => {
      const state = codec.open(makeResolvedOptions({ mode: 'app-server' }));
      const context = { now: 0, sessionId: 't', turnIndex: 0, turnActive: true };
      const request = {
        id: 5,
        method: 'item/commandExecution/requestApproval',
        params: { itemId: 'c', command: 'ls' },
      };
      codec.decode(JSON.stringify(request), state, context);
      state.turnId = turnId;
      const pending = { kind: 'approval', requestId: '5', toolName: 'exec_command', options: [] } as const;
      return codec.resolve(pending, { kind: 'approval', answer }, state).map((line) => JSON.parse(line));
    };
    const decline = expect.objectContaining({ id: 5, result: { decision: 'decline' } });
    expect(say({ decision: 'deny', message: 'not today' })).toEqual([
      expect.objectContaining({
        method: 'turn/steer',
        params: expect.objectContaining({
          expectedTurnId: 'turn-1',
          input: [{ type: 'text', text: 'I did not allow this: not today', text_elements: [] }],
        }),
      }),
      decline,
    ]);
    expect(say({ decision: 'deny' })).toEqual([decline]);
    expect(say({ decision: 'deny', message: 'not today' }, null)).toEqual([decline]);
    expect(say({ decision: 'deny', message: 'stop', optionId: 'cancel' })).toHaveLength(1);
  });

  it('asks for the tools of MCP servers', () => {
    const mcpServers = { calc: { command: 'node', args: ['/workspace/mcp.mjs'] } };
    const events = live('mcp', { mcpServers, model: 'scripted' });
    expect(only(events, 'approval_request')).toMatchObject([
      { kind: 'mcp', toolName: 'add', input: { a: 2, b: 3 } },
      { kind: 'mcp', toolName: 'fail' },
      { kind: 'mcp', toolName: 'fail' },
    ]);
    expect(only(events, 'mcp_tool_result', 'mcp_tool_error')).toMatchObject([
      { type: 'mcp_tool_result', server: 'calc', output: [{ type: 'text', text: '5' }] },
      { type: 'mcp_tool_result', output: [{ type: 'text', text: '6' }] },
      { type: 'mcp_tool_error', error: 'it broke' },
      { type: 'mcp_tool_error', error: 'user rejected MCP tool call' },
    ]);
  });

  it('tells a command that failed', () => {
    expect(only(live('tool-error', { approvalMode: 'yolo' }), 'tool_error')).toMatchObject([
      { toolName: 'exec_command', error: 'oops', output: 'oops\n' },
    ]);
  });

  it('puts the questions of the agent to the caller', () => {
    const events = live('question');
    expect(only(events, 'input_required')[0]?.questions).toEqual([
      {
        id: 'q1',
        question: 'Which?',
        header: 'H',
        options: [
          { label: 'A', description: 'a' },
          { label: 'B', description: 'b' },
        ],
        multiple: false,
        freeText: true,
      },
    ]);
    expect(textOf(events)).toContain('"answers":["B"]');
  });

  it('tells of a subagent, keeps its words apart and counts its tokens', () => {
    const events = live('subagent', { approvalMode: 'yolo', model: 'scripted' });
    const [start] = only(events, 'subagent_start');
    expect(start).toMatchObject({ prompt: 'SUBTASK count' });
    expect(only(events, 'subagent_end')).toEqual([
      {
        type: 'subagent_end',
        subagentId: start?.subagentId,
        toolCallId: start?.toolCallId,
        status: 'completed',
        summary: 'seven',
      },
    ]);
    expect(textOf(events)).toBe('done');
    expect(only(events, 'cost')).toHaveLength(3);
  });

  it('refuses what it does not know', () => {
    const codec = appServerCodec();
    const state = codec.open(makeResolvedOptions({ mode: 'app-server' }));
    const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: true };
    const { events, replies } = codec.decode('{"id":7,"method":"attestation/generate","params":{}}', state, context);
    expect(events).toEqual([]);
    expect(JSON.parse(replies?.[0] ?? '')).toMatchObject({ id: 7, error: { code: -32601 } });
  });
});

describe('trouble', () => {
  it('voids the words of a request that is made again', () => {
    const events = live('dropped');
    expect(shape(events)).toEqual([
      'session_start',
      'message_start',
      'text_delta',
      'message_discard',
      'message_stop',
      'retry',
      'message_start',
      'text_delta',
      'message_stop',
      'turn_end',
    ]);
    expect(only(events, 'retry')).toMatchObject([{ attempt: 1, maxAttempts: 5, by: 'agent' }]);
  });

  it('tells a refused key once, after the attempts of the agent', () => {
    const events = live('bad-key');
    expect(only(events, 'retry').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(only(events, 'auth_error')).toHaveLength(1);
    expect(events.at(-1)).toEqual({ type: 'turn_end', status: 'failed' });
  });

  it('tells a rate limit at the first refusal', () => {
    const [first] = only(live('rate-limit'), 'rate_limit_error', 'retry');
    expect(first).toMatchObject({ type: 'rate_limit_error', retrying: true, message: expect.stringContaining('429') });
  });

  it('tells when a limit is lifted that comes as the body of an answer', () => {
    const body = (times: object) =>
      JSON.stringify({ error: { type: 'usage_limit_reached', message: 'The usage limit has been reached', ...times } });
    const told = (times: object) => readCodexFailure({ text: body(times), status: 429 });
    expect(told({ resets_in_seconds: 90 })).toMatchObject({ type: 'rate_limit_error', retryAfterMs: 90_000 });
    expect(told({ resets_at: 1_794_788_965 })).toMatchObject({ resetsAt: 1_794_788_965_000 });
    const [retry] = [retryEvent({ text: body({ resets_in_seconds: 90 }), status: 429 }, 0)];
    expect(retry).toMatchObject({ type: 'rate_limit_error', retryAfterMs: 90_000, retrying: true });
  });

  it('tells a failing server and a full context', () => {
    expect(only(live('server-error'), 'error')).toMatchObject([{ code: 'SERVER_ERROR', recoverable: true }]);
    const [full] = only(live('too-long'), 'context_exceeded');
    expect(full?.message).toBe(
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    );
  });

  it('tells how much of a limit is used, when it has changed', () => {
    expect(only(live('limits'), 'rate_limit_status')).toEqual([
      {
        type: 'rate_limit_status',
        limited: false,
        windows: [{ window: 'primary', usedPercent: 91, resetsAt: 4_102_444_800_000, exhausted: false }],
      },
    ]);
  });

  it('ends a turn that would wait for the network for ever', () => {
    const codec = appServerCodec();
    const state = codec.open(makeResolvedOptions({ mode: 'app-server' }));
    Object.assign(state, { threadId: 't', turnId: 'u', turn: 'running' });
    const context = { now: 0, sessionId: 't', turnIndex: 0, turnActive: true };
    const said = (turn: object) => JSON.stringify({ method: 'turn/completed', params: { threadId: 't', turn } });
    const error = {
      message: 'Reconnecting... waiting for network',
      codexErrorInfo: null,
      additionalDetails: 'no route',
    };
    const line = JSON.stringify({ method: 'error', params: { threadId: 't', turnId: 'u', willRetry: true, error } });
    const { events, replies } = codec.decode(line, state, context);
    expect(events).toMatchObject([
      { type: 'error', code: 'NETWORK_ERROR', recoverable: true },
      { type: 'turn_end', status: 'failed' },
    ]);
    expect(JSON.parse(replies?.[0] ?? '')).toMatchObject({ method: 'turn/interrupt', params: { turnId: 'u' } });
    expect(codec.decode(said({ id: 'u', status: 'interrupted' }), state, context).events).toEqual([]);
  });
});

describe('codex exec', () => {
  it('answers', () => {
    expect(shape(exec('hello'))).toEqual(['session_start', 'message_start', 'text_delta', 'message_stop', 'turn_end']);
  });

  it('thinks before it answers', () => {
    const events = exec('thinking');
    expect(only(events, 'thinking_delta')).toEqual([{ type: 'thinking_delta', delta: '**Pondering** deeply.' }]);
    expect(only(events, 'cost')).toMatchObject([{ scope: 'session', usage: { inputTokens: 200, outputTokens: 34 } }]);
  });

  it('tells the tools that failed and those of MCP servers', () => {
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
  ] as const)('tells %s once', (name, type) => {
    const events = exec(name);
    const told = only(events, type).filter((event) => !('retrying' in event && event.retrying));
    expect(told).toHaveLength(1);
    expect(events.at(-1)).toEqual({ type: 'turn_end', status: 'failed' });
  });

  it('types what failed', () => {
    expect(only(exec('server-error'), 'error')[0]?.code).toBe('SERVER_ERROR');
    expect(only(exec('drop'), 'error')[0]?.code).toBe('NETWORK_ERROR');
    expect(only(exec('bad-request'), 'error')[0]).toMatchObject({ code: 'AGENT_ERROR', message: 'scripted 400' });
    expect(only(exec('rate-limit'), 'rate_limit_error')[0]?.retrying).toBe(true);
  });

  it('reports no tokens for a run that resumed: the count is that of the whole thread', () => {
    const context = makeParseContext({ resumed: true });
    const lines = recording('exec-resume.jsonl').toString().split('\n').filter(Boolean);
    const events = lines.flatMap((line) => adapter.parseEvent(line, context) ?? []);
    expect(only(events, 'cost')).toEqual([]);
    expect(events.at(-1)).toEqual({ type: 'turn_end', status: 'completed' });
  });

  it('reads from stderr why nothing was started, and nothing out of its log', () => {
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

describe('how it is started', () => {
  const launch = (options: Partial<ResolvedRunOptions>) => launchCodex(makeResolvedOptions(options));
  const thread = (options: Partial<ResolvedRunOptions>) =>
    appServerCodec().open(makeResolvedOptions({ mode: 'app-server', ...options })).open;

  it('says everything to the app-server in the conversation', () => {
    expect(launch({ mode: 'app-server', prompt: 'secret' }).args).toEqual([
      'app-server',
      '-c',
      'features.unbounded_connection_retries=false',
    ]);
    const open = thread({
      model: 'm',
      approvalMode: 'plan',
      systemPrompt: 'S',
      mcpServers: { web: { type: 'http', url: 'http://localhost/mcp', headers: { 'X-A': 'b' } } },
      thinkingEffort: 'high',
      skills: ['/skills/one', '/skills/two/SKILL.md'],
    });
    expect(open).toMatchObject({ method: 'thread/start', skillRoots: ['/skills/one', '/skills/two'] });
    expect(open.params).toMatchObject({
      model: 'm',
      approvalPolicy: 'never',
      sandbox: 'read-only',
      developerInstructions: 'S',
      config: {
        'mcp_servers.web': { url: 'http://localhost/mcp', http_headers: { 'X-A': 'b' } },
        model_reasoning_effort: 'high',
      },
    });
  });

  it.each([
    ['prompt', 'untrusted', 'workspace-write'],
    ['accept-edits', 'untrusted', 'workspace-write'],
    ['plan', 'never', 'read-only'],
    ['deny', 'on-request', 'read-only'],
    ['yolo', 'never', 'danger-full-access'],
  ] as const)('maps %s to %s and %s', (approvalMode, approvalPolicy, sandbox) => {
    expect(thread({ approvalMode }).params).toMatchObject({ approvalPolicy, sandbox });
  });

  it('passes native words through', () => {
    const params = (nativePermissionMode: string) => thread({ nativePermissionMode }).params;
    expect(params('on-request/read-only')).toMatchObject({ approvalPolicy: 'on-request', sandbox: 'read-only' });
    expect(params('workspace-write')).toMatchObject({ sandbox: 'workspace-write' });
    expect(params('workspace-write')).not.toHaveProperty('approvalPolicy');
    expect(params('whatever')).toMatchObject({ approvalPolicy: 'whatever' });
  });

  it('gives exec its prompt on stdin and never lets it ask', () => {
    const { args, stdin, files } = launch({
      mode: 'exec',
      approvalMode: 'deny',
      prompt: '-p x',
      sessionId: '7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90',
      outputSchema: { type: 'object' },
      scratchDir: '/scratch',
      attachments: [
        { path: '/pic,1.png', mimeType: 'image/png', name: 'pic' },
        { path: '/notes.txt', mimeType: 'text/plain', name: 'notes' },
      ],
      mcpServers: { calc: { command: 'node', args: ['a "b"'], env: { K: 'v' } } },
    });
    expect(args.slice(0, 3)).toEqual(['exec', 'resume', '7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90']);
    expect(args.slice(-3)).toEqual(['--image=/pic,1.png', '--', '-']);
    expect(args).toContain('approval_policy="never"');
    expect(args).toContain('sandbox_mode="read-only"');
    expect(args).toContain('mcp_servers.calc={"command" = "node", "args" = ["a \\"b\\""], "env" = {"K" = "v"}}');
    expect(args.join(' ')).toContain('--output-schema=/scratch/output-schema.json');
    expect(stdin).toBe('-p x\n\n/notes.txt');
    expect(files).toEqual({ 'output-schema.json': '{"type":"object"}' });
  });

  it('becomes an agent of its own by a definition, beneath the options of a run', () => {
    const config = { command: 'codex-beta', work_dir: '/project', env: { A: '1' }, model: 'gpt-5' };
    const modes = { approval_mode: 'on-request', sandbox_mode: 'workspace-write' };
    const defined = codexProfile.create('mine', 'Mine', codexProfile.schema.parse({ ...config, ...modes }));
    const filled = (options: Partial<ResolvedRunOptions>) =>
      defined.fillOptions!(makeResolvedOptions({ mode: 'app-server', ...options }));
    expect(defined.buildSpawnArgs(filled({ env: { B: '2' } }))).toMatchObject({
      command: 'codex-beta',
      cwd: '/project',
      env: { A: '1', B: '2' },
    });
    const facet = defined.modes?.[0]?.live;
    const opened = (options: Partial<ResolvedRunOptions>) => facet?.codec.open(filled(options));
    const own = { cwd: '/project', model: 'gpt-5', approvalPolicy: 'on-request', sandbox: 'workspace-write' };
    expect(opened({})).toMatchObject({ open: { params: own } });
    expect(opened({ model: 'm', approvalMode: 'plan' })).toMatchObject({
      open: { params: { model: 'm', approvalPolicy: 'never', sandbox: 'read-only' } },
    });
    expect(codexProfile.schema.safeParse({ approval_mode: 'always' }).success).toBe(false);
  });
});
