import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GATE_TITLE, type GatePolicy, gatePolicy, gateSource, REFUSAL } from './gate.ts';
import { piAdapter } from './index.ts';
import { piCodec } from './live.ts';

const adapter = piAdapter;

function recording(name: string): Buffer {
  return readFileSync(new URL(`./recordings/${name}`, import.meta.url));
}

function oneshot(name: string): EventBody[] {
  return assertDeterministic((options) => replayOneshot(adapter, recording(`${name}.jsonl`), options));
}

/** Lines to the agent become what the caller of a run did; the codec says the rest itself. */
function actOf(line: string): LiveAct | undefined {
  const said = JSON.parse(line);
  if (said.type === 'prompt') return { act: said.streamingBehavior ? 'steer' : 'turn', text: said.message };
  if (said.type === 'abort') return { act: 'interrupt' };
  if (said.type !== 'extension_ui_response') return undefined;
  const answer: RequestAnswer =
    said.value === undefined
      ? { kind: 'approval', answer: { decision: said.confirmed ? 'allow' : 'deny' } }
      : { kind: 'input', answer: { answers: { [said.id]: [said.value] } } };
  return { act: 'resolve', requestId: said.id, answer };
}

function live(name: string) {
  const lines = parseRecording(recording(`${name}.txt`));
  return assertDeterministic((options) => replayLive(piCodec, lines, { ...options, actOf }));
}

function only<T extends EventType>(events: readonly EventBody[], ...types: T[]): Extract<EventBody, { type: T }>[] {
  return events.filter((event): event is Extract<EventBody, { type: T }> => types.some((type) => type === event.type));
}

const shape = (events: readonly EventBody[]) =>
  events.map(({ type }) => type).filter((type, i, all) => !(type.endsWith('_delta') && all[i - 1] === type));
const textOf = (events: readonly EventBody[]) =>
  only(events, 'text_delta')
    .map(({ delta }) => delta)
    .join('');

describe('a one-shot process', () => {
  it('answers', () => {
    const events = oneshot('hello');
    expect(shape(events)).toEqual(['session_start', 'message_start', 'text_delta', 'message_stop', 'cost', 'turn_end']);
    expect(only(events, 'session_start')).toEqual([
      { type: 'session_start', sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/), cwd: '/workspace' },
    ]);
    expect(only(events, 'message_start')[0]?.model).toBe('lab/scripted');
    expect(textOf(events)).toContain('say hello');
    expect(only(events, 'turn_end')).toEqual([{ type: 'turn_end', status: 'completed', stopReason: 'stop' }]);
  });

  it('keeps every character', () => {
    expect(textOf(oneshot('unicode'))).toMatch(/[^\u0000-\u00ff]/);
  });

  it('thinks apart from what it says', () => {
    const events = oneshot('thinking');
    expect(shape(events).slice(1, 7)).toEqual([
      'message_start',
      'thinking_start',
      'thinking_delta',
      'thinking_stop',
      'text_delta',
      'message_stop',
    ]);
  });

  it('runs a tool and shows its output as it grows', () => {
    const events = oneshot('tool');
    const [ready] = only(events, 'tool_call_ready');
    const input = only(events, 'tool_input_delta').map(({ delta }) => delta);
    expect(JSON.parse(input.join(''))).toEqual(ready?.input);
    const [result] = only(events, 'tool_result');
    expect(result).toMatchObject({ toolCallId: 'toolu_1', toolName: 'bash', exitCode: 0 });
    const printed = only(events, 'tool_output_delta').map(({ delta }) => delta);
    expect(printed.join('')).toBe(result?.output);
  });

  it('tells a command that fails as an error', () => {
    const [error] = only(oneshot('tool-error'), 'tool_error');
    expect(error).toEqual({
      type: 'tool_error',
      toolCallId: 'toolu_1',
      toolName: 'bash',
      error: expect.stringContaining('exited with code 3'),
    });
  });

  it('tells an edit as a change of a file, with its patch', () => {
    expect(only(oneshot('edit'), 'file_change')).toEqual([
      {
        type: 'file_change',
        path: 'a.txt',
        change: 'update',
        toolCallId: 'toolu_1',
        diff: expect.stringContaining('+gamma'),
      },
    ]);
  });

  it('counts each request to the model once, with its price', () => {
    const costs = only(oneshot('tool'), 'cost');
    expect(costs).toHaveLength(2);
    expect(costs[0]).toEqual({
      type: 'cost',
      usage: {
        inputTokens: 1200,
        outputTokens: 34,
        cacheReadTokens: 1000,
        cacheCreationTokens: 50,
        totalTokens: 2284,
      },
      costUsd: 0.0045975,
      scope: 'delta',
      source: 'reported',
      model: 'lab/scripted',
    });
  });

  it('tells a cost of 0 as what it is', () => {
    const free = recording('hello.jsonl')
      .toString()
      .replace(/"total":[\d.]+/g, '"total":0');
    expect(only(replayOneshot(adapter, free), 'cost')[0]?.costUsd).toBe(0);
  });

  it.each(['resume', 'fork'])('names the session of a %s', (name) => {
    expect(only(oneshot(name), 'session_start')[0]?.sessionId).toBeTruthy();
  });
});

describe('failures', () => {
  it.each([
    ['auth-error', { type: 'auth_error', message: '401 scripted 401' }],
    ['server-error', { type: 'error', code: 'SERVER_ERROR', recoverable: true }],
    ['drop', { type: 'error', code: 'NETWORK_ERROR', message: 'terminated' }],
    ['context-exceeded', { type: 'context_exceeded', usedTokens: 250_000, maxTokens: 200_000 }],
  ] as const)('%s', (name, expected) => {
    const events = oneshot(name);
    expect(events.at(-2)).toMatchObject(expected);
    expect(events.at(-1)).toEqual({ type: 'turn_end', status: 'failed', stopReason: 'error' });
    expect(only(events, 'turn_end')).toHaveLength(1);
  });

  it('tells the retries of the agent', () => {
    const retries = only(oneshot('server-error'), 'retry');
    expect(retries.map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [1, 2000],
      [2, 4000],
      [3, 8000],
    ]);
    expect(retries[0]).toMatchObject({ by: 'agent', maxAttempts: 3, reason: '500 scripted 500' });
  });

  it.each([
    ['json', oneshot('rate-limit')],
    ['rpc', live('rate-limited').events],
  ] as const)('a rate limit is told before the first retry (%s)', (_, events) => {
    expect(only(events, 'retry')).toEqual([]);
    expect(only(events, 'rate_limit_error')[0]).toMatchObject({
      retrying: true,
      message: expect.stringMatching(/^429 /),
    });
  });

  it('what a broken request had said is void when it is repeated', () => {
    const { events } = live('dropped');
    const types = shape(events);
    expect(types.indexOf('message_discard')).toBeGreaterThan(types.indexOf('text_delta'));
    expect(types.indexOf('message_stop')).toBeGreaterThan(types.indexOf('message_discard'));
    expect(only(events, 'turn_end')).toEqual([{ type: 'turn_end', status: 'completed', stopReason: 'stop' }]);
  });

  it.each([
    ["No session found matching 'x'", { type: 'error', code: 'SESSION_NOT_FOUND' }],
    ['No models available. Use /login to log into a provider', { type: 'auth_error' }],
    ['Error: Model "x" not found.', { type: 'error', code: 'AGENT_ERROR', message: 'Model "x" not found.' }],
  ])('stderr: %s', (line, expected) => {
    expect(adapter.parseEvent(line, makeParseContext({ source: 'stderr' }))).toMatchObject(expected);
  });

  it('a session of another folder is not found', () => {
    const line = 'Session found in different project: /elsewhere';
    const expected = { type: 'error', code: 'SESSION_NOT_FOUND', recoverable: false };
    expect(adapter.parseEvent(line, makeParseContext())).toMatchObject(expected);
    expect(replayLive(piCodec, [line]).events).toMatchObject([expected]);
  });
});

describe('a conversation over rpc', () => {
  const stateReply = (sessionId: string, more: object = {}) =>
    JSON.stringify({
      id: 'mux-1',
      type: 'response',
      command: 'get_state',
      success: true,
      data: { sessionId, ...more },
    });

  it('names its session before the first turn', () => {
    const { events, sent } = live('two-turns');
    expect(sent[0]).toEqual({ by: 'hello', line: '{"id":"mux-1","type":"get_state"}' });
    expect(events[0]).toMatchObject({ type: 'session_start', model: 'proof/scripted-model' });
    expect(only(events, 'turn_end')).toHaveLength(2);
  });

  it('says to the agent what was recorded', () => {
    for (const name of ['two-turns', 'approval', 'approval-denied', 'question', 'steer', 'interrupt']) {
      const said = parseRecording(recording(`${name}.txt`)).filter(({ direction }) => direction === 'out');
      const { sent } = live(name);
      expect(sent.map(({ line }) => line).sort(), name).toEqual(said.map(({ line }) => line).sort());
    }
  });

  it('asks for a tool and runs it when it is allowed', () => {
    const { events } = live('approval');
    expect(only(events, 'approval_request')).toMatchObject([
      {
        toolName: 'bash',
        title: 'bash: touch approved.txt',
        input: { command: 'touch approved.txt' },
        options: [{ kind: 'allow_once' }, { kind: 'deny_once' }],
      },
    ]);
    const [request] = only(events, 'approval_request');
    expect(only(events, 'tool_result')[0]?.toolCallId).toBe(request?.toolCallId);
  });

  it('closes a denied call as denied', () => {
    const { events } = live('approval-denied');
    expect(only(events, 'tool_error')).toMatchObject([{ denied: true, error: expect.stringContaining(REFUSAL) }]);
    expect(only(events, 'tool_result')).toEqual([]);
  });

  it('asks nobody in plan mode', () => {
    const { events } = live('plan');
    expect(only(events, 'approval_request')).toEqual([]);
    expect(only(events, 'tool_error').map(({ denied }) => denied)).toEqual([true, true]);
    expect(only(events, 'file_change')).toEqual([]);
  });

  it('tells the question of an extension and the answer to it', () => {
    const { events } = live('question');
    const [asked] = only(events, 'input_required');
    expect(asked?.questions).toMatchObject([
      { question: 'Which colour?', options: [{ label: 'Crimson' }, { label: 'Teal' }], multiple: false },
    ]);
    expect(only(events, 'tool_result')[0]?.output).toBe('The user chose Teal');
  });

  it('is steered within the turn', () => {
    const { events } = live('steer');
    expect(only(events, 'turn_end')).toHaveLength(1);
    expect(textOf(events)).toContain('steered to 42');
  });

  it('is interrupted and goes on', () => {
    const { events } = live('interrupt');
    expect(only(events, 'turn_end').map(({ status }) => status)).toEqual(['interrupted', 'completed']);
    expect(only(events, 'interrupted')).toEqual([{ type: 'interrupted', by: 'caller' }]);
  });

  it('ends a turn that an extension has taken for itself', () => {
    const { events } = replayLive(
      piCodec,
      [
        stateReply('s'),
        '{"id":"mux-2","type":"response","command":"prompt","success":true}',
        '{"id":"mux-3","type":"response","command":"get_state","success":true,"data":{"isStreaming":false,"isCompacting":false}}',
      ],
      { inputs: ['/mine'], sessionFirst: true },
    );
    expect(events.at(-1)).toEqual({ type: 'turn_end', status: 'completed' });
  });

  it('a prompt that is refused fails its turn', () => {
    const { events } = replayLive(
      piCodec,
      [
        stateReply('s'),
        '{"id":"mux-2","type":"response","command":"prompt","success":false,"error":"No API key found for lab."}',
      ],
      { inputs: ['hello'], sessionFirst: true },
    );
    expect(events.slice(1)).toMatchObject([
      { type: 'auth_error', message: 'No API key found for lab.' },
      { type: 'turn_end', status: 'failed' },
    ]);
  });

  it('a steering input that comes too late still belongs to the turn', () => {
    const { events } = replayLive(
      piCodec,
      [
        stateReply('s'),
        '{"type":"agent_start"}',
        { act: 'steer', text: 'wait' },
        '{"type":"agent_settled"}',
        '{"id":"mux-3","type":"response","command":"prompt","success":true}',
        '{"type":"agent_start"}',
        '{"type":"agent_settled"}',
      ],
      { inputs: ['hello'], sessionFirst: true },
    );
    expect(only(events, 'turn_end')).toHaveLength(1);
    expect(events.at(-1)?.type).toBe('turn_end');
  });

  it('an interrupt that comes before the run has begun stops it when it begins', () => {
    const { sent } = replayLive(
      piCodec,
      [stateReply('s'), { act: 'interrupt' }, '{"id":"mux-2","type":"response","command":"prompt","success":true}'],
      { inputs: ['hello'], sessionFirst: true },
    );
    expect(JSON.parse(sent.at(-1)?.line ?? '{}')).toMatchObject({ type: 'abort' });
  });

  it('does not take a prefix for an id', () => {
    const { events } = replayLive(piCodec, [stateReply('abcdef')], { options: { sessionId: 'abc' } });
    expect(events).toMatchObject([{ type: 'error', code: 'SESSION_NOT_FOUND' }, { type: 'turn_end' }]);
  });

  it('sends pictures and names other files', () => {
    const input = {
      text: 'Look.',
      attachments: [
        { path: '/a/dot.png', mimeType: 'image/png', name: 'dot.png', base64: 'QUJD' },
        { path: '/a/notes.txt', mimeType: 'text/plain', name: 'notes.txt' },
      ],
    };
    const [line] = piCodec.turn(input, piCodec.open(makeResolvedOptions()));
    expect(JSON.parse(line ?? '')).toMatchObject({
      message: 'Look.\n\nAttached files:\n/a/notes.txt',
      images: [{ type: 'image', data: 'QUJD', mimeType: 'image/png' }],
    });
  });

  it('splits a model into provider and id', () => {
    const [line] = piCodec.setModel?.('openrouter/meta/llama', piCodec.open(makeResolvedOptions())) ?? [];
    expect(JSON.parse(line ?? '')).toMatchObject({ type: 'set_model', provider: 'openrouter', modelId: 'meta/llama' });
  });
});

const ID = '7d4a1c52-6f0b-4e3d-9b8a-2c5e1f7a6d90';

describe('the launch', () => {
  const launch = (options: Partial<ResolvedRunOptions> = {}) =>
    adapter.buildSpawnArgs(makeResolvedOptions({ mode: 'rpc', approvalMode: 'yolo', ...options }));

  it('starts without a gate in yolo mode only', () => {
    expect(launch()).toMatchObject({ command: 'pi', args: ['--mode', 'rpc'] });
    expect(launch().files).toBeUndefined();
    for (const approvalMode of ['prompt', 'accept-edits', 'plan', 'deny'] as const) {
      const { args, files } = launch({ approvalMode, scratchDir: '/scratch' });
      expect(args.slice(-2)).toEqual(['-e', '/scratch/gate.ts']);
      expect(files?.['gate.ts']).toContain('tool_call');
    }
  });

  it('gives the prompt of a one-shot process on stdin and its attachments as files', () => {
    const attachments = [{ path: '/a/dot.png', mimeType: 'image/png', name: 'dot.png' }];
    const { args, stdin } = launch({ mode: 'json', prompt: '-x', attachments });
    expect(args).toEqual(['--mode', 'json', '@/a/dot.png']);
    expect(stdin).toBe('-x');
  });

  it.each([
    [{ sessionId: ID }, ['--session', ID]],
    [{ forkSessionId: ID }, ['--fork', ID]],
    [{ noSession: true }, ['--no-session']],
    [{ model: 'lab/scripted' }, ['--model', 'lab/scripted']],
    [{ thinkingEffort: 'xhigh' }, ['--thinking', 'xhigh']],
    [{ allowedTools: ['read', 'bash'] }, ['--tools', 'read,bash']],
    [{ deniedTools: ['bash'] }, ['--exclude-tools', 'bash']],
    [{ skills: ['/a', '/b'] }, ['--skill', '/a', '--skill', '/b']],
    [{ systemPrompt: 'Rhyme.' }, ['--append-system-prompt', '/scratch/system-prompt.md']],
    [{ systemPrompt: 'Rhyme.', systemPromptMode: 'replace' }, ['--system-prompt', '/scratch/system-prompt.md']],
  ] satisfies [Partial<ResolvedRunOptions>, string[]][])('%j', (options, expected) => {
    expect(launch({ scratchDir: '/scratch', ...options }).args.slice(2)).toEqual(expected);
  });

  it('keeps every system prompt in a file: pi would read one that is the path of a file from there', () => {
    for (const systemPrompt of ['/etc/hostname', '- be brief', 'x'.repeat(200_000)]) {
      const { args, files } = launch({ systemPrompt, scratchDir: '/scratch' });
      expect(args).toEqual(['--mode', 'rpc', '--append-system-prompt', '/scratch/system-prompt.md']);
      expect(files?.['system-prompt.md']).toBe(systemPrompt);
    }
  });

  it.each(['s1', '01a1e2eb', 'notes.jsonl', '/x/session.jsonl'])('takes no %j for the id of a session', (sessionId) => {
    expect(() => launch({ sessionId })).toThrow('sessionId: ');
    expect(() => launch({ forkSessionId: sessionId })).toThrow('forkSessionId: ');
  });

  it('refuses what pi does not have', () => {
    expect(() => launch({ nativePermissionMode: 'auto' })).toThrow(/no permission modes/);
  });

  it('takes its gate along to another place', () => {
    const elsewhere = launch({ approvalMode: 'prompt', invocation: { mode: 'docker', image: 'x' } });
    expect(Object.keys(elsewhere.files ?? {})).toEqual(['gate.ts']);
  });
});

describe('the gate', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'pi-gate-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** The file as pi loads it, and what it says to a call. */
  async function verdict(policy: GatePolicy | undefined, toolName: string, answer?: boolean) {
    const path = join(folder, `gate-${toolName}-${answer}.mjs`);
    writeFileSync(path, gateSource(policy!));
    const { default: load } = await import(pathToFileURL(path).href);
    const asked: string[][] = [];
    let handler: (call: object, context: object) => Promise<{ block: boolean } | undefined> = async () => undefined;
    load({
      on: (_: string, given: typeof handler) => {
        handler = given;
      },
    });
    const confirm = async (...question: string[]) => {
      asked.push(question);
      return answer;
    };
    const context = { hasUI: answer !== undefined, ui: { confirm } };
    const result = await handler({ toolName, toolCallId: 't1', input: { a: 1 } }, context);
    return { passes: result === undefined, asked };
  }

  it('passes what only looks, and asks for all else', async () => {
    const policy = gatePolicy('prompt', true);
    expect(await verdict(policy, 'read', false)).toEqual({ passes: true, asked: [] });
    expect(await verdict(policy, 'bash', true)).toEqual({
      passes: true,
      asked: [[`${GATE_TITLE}bash`, '{"toolCallId":"t1","input":{"a":1}}']],
    });
    expect(await verdict(policy, 'write', false)).toMatchObject({ passes: false, asked: [expect.anything()] });
    expect(await verdict(policy, 'unknown', false)).toMatchObject({ passes: false });
  });

  it('blocks where nobody can be asked', async () => {
    expect(await verdict(gatePolicy('prompt', true), 'bash')).toMatchObject({ passes: false });
    expect(await verdict(gatePolicy('deny', false), 'bash', true)).toEqual({ passes: false, asked: [] });
  });

  it('blocks every change in plan mode, also by an allowed tool', async () => {
    const policy = gatePolicy('plan', true, ['bash']);
    expect(await verdict(policy, 'bash', true)).toEqual({ passes: false, asked: [] });
    expect(await verdict(policy, 'edit', true)).toEqual({ passes: false, asked: [] });
    expect(await verdict(policy, 'grep', true)).toMatchObject({ passes: true });
  });

  it('passes edits in accept-edits mode, and allowed tools', async () => {
    expect(await verdict(gatePolicy('accept-edits', true), 'edit', false)).toEqual({ passes: true, asked: [] });
    expect(await verdict(gatePolicy('prompt', true, ['bash']), 'bash', false)).toEqual({ passes: true, asked: [] });
  });
});

describe('the surroundings', () => {
  it('keeps sessions by folder', () => {
    expect(adapter.sessionDir('/home/dev/my.app')).toMatch(/\.pi\/agent\/sessions\/--home-dev-my\.app--$/);
  });

  it('knows a login by its key or its file', async () => {
    expect(await adapter.detectAuth({ HOME: '/nowhere' })).toEqual({ status: 'unauthenticated' });
    expect(await adapter.detectAuth({ HOME: '/nowhere', OPENAI_API_KEY: 'x' })).toMatchObject({
      status: 'authenticated',
    });
  });
});
