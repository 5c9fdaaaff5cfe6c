import { readFileSync } from 'node:fs';
import type { ApprovalMode, EventBody, EventType, RequestAnswer, ResolvedRunOptions } from '@agent-mux/core';
import {
  assertDeterministic,
  type LiveAct,
  makeResolvedOptions,
  parseRecording,
  replayLive,
  replayOneshot,
} from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { droidAdapter } from './index.ts';
import { launchDroid } from './launch.ts';
import { jsonRpcCodec } from './live.ts';

const adapter = droidAdapter;

function recording(name: string): Buffer {
  return readFileSync(new URL(`./recordings/${name}`, import.meta.url));
}

function exec(name: string): EventBody[] {
  return assertDeterministic((options) => replayOneshot(adapter, recording(`exec-${name}.jsonl`), options));
}

/** Lines to the agent become what the caller of the run did; the codec says the rest itself. */
function actOf(steers: boolean) {
  let turns = 0;
  return (line: string): LiveAct | undefined => {
    const said = JSON.parse(line);
    if (said.method === 'droid.interrupt_session') return { act: 'interrupt' };
    if (said.method === 'droid.add_user_message') {
      turns += 1;
      return { act: steers && turns === 2 ? 'steer' : 'turn', text: said.params.text };
    }
    if (said.type !== 'response') return undefined;
    return { act: 'resolve', requestId: said.id, answer: answerOf(said.result) };
  };
}

function answerOf(result: {
  selectedOption?: string;
  comment?: string;
  answers?: { index: number; answer: string }[];
}): RequestAnswer {
  if (result.answers) {
    const answers = result.answers.map(({ index, answer }) => [String(index), [answer]]);
    return { kind: 'input', answer: { answers: Object.fromEntries(answers) } };
  }
  if (result.selectedOption !== 'cancel') return { kind: 'approval', answer: { decision: 'allow' } };
  return { kind: 'approval', answer: { decision: 'deny', message: result.comment } };
}

/** Replays a conversation that this codec had with Droid 0.215, and checks that it says the same again. */
function live(name: string, options: Partial<ResolvedRunOptions> = {}, steers = false): EventBody[] {
  const lines = parseRecording(recording(`${name}.txt`));
  const replayed = assertDeterministic((more) =>
    replayLive(jsonRpcCodec(), lines, {
      ...more,
      options: { cwd: '/workspace', model: 'custom:scripted-model-0', approvalMode: 'yolo', ...options },
      actOf: actOf(steers),
    }),
  );
  const said = lines.filter(({ direction }) => direction === 'out').map(({ line }) => JSON.parse(line));
  expect(replayed.sent.map(({ line }) => JSON.parse(line))).toEqual(said);
  return replayed.events;
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

describe('a conversation over JSON-RPC', () => {
  it('opens a session, answers and takes a second turn, each with its own tokens', () => {
    const events = live('two-turns');
    const turn = ['message_start', 'text_delta', 'message_stop', 'cost', 'turn_end'];
    expect(shape(events)).toEqual(['session_start', ...turn, ...turn]);
    expect(only(events, 'session_start')[0]).toMatchObject({
      model: 'custom:scripted-model-0',
      permissionMode: 'auto/high',
    });
    const [first, second] = only(events, 'cost');
    expect([first?.scope, first?.usage.outputTokens, second?.usage.outputTokens]).toEqual(['turn', 40, 7]);
    expect(first?.usage).toMatchObject({ inputTokens: 371, cacheReadTokens: 1000, totalTokens: 1411 });
  });

  it('tells thoughts, words, a call and its output in their order', () => {
    const events = live('tool');
    expect(shape(events)).toEqual([
      'session_start',
      'thinking_start',
      'thinking_delta',
      'thinking_stop',
      'message_start',
      'text_delta',
      'tool_call_start',
      'tool_call_ready',
      'message_stop',
      'tool_result',
      'message_start',
      'text_delta',
      'message_stop',
      'cost',
      'turn_end',
    ]);
    expect(only(events, 'tool_result')[0]).toMatchObject({ toolName: 'Execute', exitCode: 0 });
  });

  it('joins each of two calls to its own result', () => {
    const events = live('parallel');
    const calls = only(events, 'tool_call_ready').map(({ toolCallId }) => toolCallId);
    expect(new Set(calls).size).toBe(2);
    expect(only(events, 'tool_result').map(({ toolCallId }) => toolCallId)).toEqual(calls);
  });

  it('takes a word into the running turn, which ends once', () => {
    const events = live('steer', {}, true);
    expect(textOf(events)).toContain('steered to 42');
    expect(only(events, 'turn_end')).toHaveLength(1);
  });

  it('goes on with the turn when a word came too late and is taken up by itself', () => {
    const notice = (notification: object) =>
      JSON.stringify({ type: 'notification', method: 'droid.session_notification', params: { notification } });
    const over = notice({ type: 'agent_turn_completed', reason: 'completed' });
    const conversation = (after: readonly string[]) =>
      replayLive(jsonRpcCodec(), [{ act: 'turn', text: 'one' }, { act: 'steer', text: 'two' }, over, ...after]).events;
    expect(only(conversation([]), 'turn_end')).toEqual([]);
    const taken = notice({ type: 'create_message', message: { role: 'user' }, requestId: '2' });
    expect(only(conversation([taken, over]), 'turn_end')).toHaveLength(1);
  });

  it('ends an interrupted turn as such and takes a further one', () => {
    const events = live('interrupt');
    expect(only(events, 'interrupted')).toEqual([{ type: 'interrupted', by: 'caller' }]);
    expect(only(events, 'turn_end').map(({ status }) => status)).toEqual(['interrupted', 'completed']);
    expect(only(events, 'cost'), 'nothing is known of the first').toHaveLength(1);
  });

  it('calls a tool of an MCP server by the names of both', () => {
    const events = live('mcp', {
      mcpServers: { proof: { command: '/usr/bin/node', args: ['/opt/mcp-server.mjs'] } },
    });
    expect(only(events, 'mcp_tool_call_start')[0]).toMatchObject({ server: 'proof', toolName: 'secret_word' });
    expect(JSON.stringify(only(events, 'mcp_tool_result')[0]?.output)).toContain('pineapple');
    expect(only(events, 'tool_call_start', 'tool_call_ready', 'tool_result')).toEqual([]);
  });

  it('gives the answer to a schema with the end of the turn', () => {
    const outputSchema = {
      type: 'object',
      properties: { city: { type: 'string' }, population: { type: 'integer' } },
      required: ['city', 'population'],
      additionalProperties: false,
    };
    const events = live('structured', { outputSchema });
    expect(only(events, 'turn_end')[0]?.structured).toEqual({ city: 'Ulm', population: 126_000 });
  });
});

describe('a session that was there before', () => {
  it('is loaded by its id, and gets the settings of this run before the first turn', () => {
    const [hello] = parseRecording(recording('resume.txt'));
    const { sessionId } = JSON.parse(hello?.line ?? '').params;
    const events = live('resume', { sessionId });
    expect(only(events, 'session_start')[0]?.sessionId).toBe(sessionId);
    expect(textOf(events), 'its history is not told again').toBe('You asked for my name.');
  });

  it('is copied by a fork, which has an id of its own', () => {
    const [hello] = parseRecording(recording('fork.txt'));
    const { sessionId } = JSON.parse(hello?.line ?? '').params;
    const events = live('fork', { forkSessionId: sessionId });
    expect(only(events, 'session_start')[0]?.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(only(events, 'session_start')[0]?.sessionId).not.toBe(sessionId);
  });

  it('is an error where there is none', () => {
    const [hello] = parseRecording(recording('resume-unknown.txt'));
    const { sessionId } = JSON.parse(hello?.line ?? '').params;
    const events = live('resume-unknown', { sessionId });
    expect(events).toMatchObject([
      { type: 'error', code: 'SESSION_NOT_FOUND' },
      { type: 'turn_end', status: 'failed' },
    ]);
  });
});

describe('what is asked', () => {
  it('runs a command that was allowed', () => {
    const events = live('granted', { approvalMode: 'prompt' });
    const [request] = only(events, 'approval_request');
    expect(request).toMatchObject({ toolName: 'Execute', kind: 'execute', title: 'Run: touch approved.txt' });
    expect(request?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_always', 'deny_once']);
    expect(request?.toolCallId).toBe(only(events, 'tool_result')[0]?.toolCallId);
  });

  it('closes a command that was denied as denied', () => {
    const events = live('denied', { approvalMode: 'prompt' });
    expect(only(events, 'tool_error')[0]).toMatchObject({ toolName: 'Execute', denied: true });
    expect(only(events, 'turn_end')[0]?.status).toBe('completed');
  });

  it('names an edit inside of the folder as an edit, and tells the file', () => {
    const events = live('accept-edits', { approvalMode: 'accept-edits' });
    expect(only(events, 'approval_request').map(({ kind }) => kind)).toEqual(['edit', 'execute']);
    // What Droid takes the command for is not what the model wrote.
    expect(only(events, 'approval_request')[1]?.input).toMatchObject({
      command: 'sh -c "id > commanded.txt"',
      request: { fullCommand: 'id > commanded.txt' },
    });
    expect(only(events, 'file_change')).toMatchObject([{ path: '/workspace/edited.txt', change: 'create' }]);
  });

  it('says of an edit outside of the folder that it is more than one', () => {
    const request = {
      type: 'request',
      id: 'x',
      method: 'droid.request_permission',
      params: {
        toolUses: [
          {
            toolUse: { id: 'c', name: 'Create', input: {} },
            confirmationType: 'create',
            details: { filePath: '/etc/x' },
          },
        ],
        options: [],
      },
    };
    const { events } = replayLive(jsonRpcCodec(), [JSON.stringify(request)], {
      options: { cwd: '/workspace', approvalMode: 'accept-edits' },
    });
    expect(only(events, 'approval_request')[0]).toMatchObject({ kind: 'edit', beyond: true });
  });

  it('says of several at once the gravest, and that no mode may let them pass', () => {
    const use = (id: string, name: string, confirmationType: string, details: object) => ({
      toolUse: { id, name, input: {} },
      confirmationType,
      details,
    });
    const asked = (...toolUses: object[]) => {
      const request = { type: 'request', id: 'x', method: 'droid.request_permission' };
      const line = JSON.stringify({ ...request, params: { toolUses, options: [] } });
      const { events } = replayLive(jsonRpcCodec(), [line], { options: { cwd: '/workspace' } });
      return only(events, 'approval_request')[0];
    };
    const create = use('c', 'Create', 'create', { filePath: '/workspace/a' });
    expect(asked(create, create)).toMatchObject({ kind: 'edit' });
    expect(asked(create, create)?.beyond).toBeUndefined();
    expect(asked(create, use('e', 'Execute', 'exec', { fullCommand: 'ls' }))).toMatchObject({
      kind: 'execute',
      beyond: true,
    });
    expect(asked(create, use('u', 'Unknown', 'later', {}))).toMatchObject({ kind: 'edit', beyond: true });
  });

  it('puts a question and hands the answer on', () => {
    const events = live('question', { approvalMode: 'prompt' });
    expect(only(events, 'input_required')[0]?.questions).toEqual([
      {
        id: '1',
        question: 'Which colour?',
        header: 'Proof',
        options: [{ label: 'Crimson' }, { label: 'Teal' }],
        multiple: false,
        freeText: true,
      },
    ]);
  });

  it('answers for a tool that was allowed by name, but never in plan mode', () => {
    const request = (name: string) =>
      JSON.stringify({
        type: 'request',
        id: name,
        method: 'droid.request_permission',
        params: { toolUses: [{ toolUse: { id: 'c', name, input: {} }, confirmationType: 'mcp_tool' }], options: [] },
      });
    const ask = (approvalMode: ApprovalMode) =>
      replayLive(jsonRpcCodec(), [request('s___t'), request('Execute')], {
        options: { approvalMode, allowedTools: ['s___t'] },
      });
    expect(ask('prompt').events.map(({ type }) => type)).toEqual(['approval_request']);
    expect(JSON.parse(ask('prompt').replies[0] ?? '')).toMatchObject({
      id: 's___t',
      type: 'response',
      result: { selectedOption: 'proceed_once' },
    });
    expect(ask('plan').replies).toEqual([]);
  });
});

describe('what goes wrong', () => {
  it('tells a refused key as such, once', () => {
    const events = live('bad-key');
    expect(only(events, 'auth_error', 'error')).toMatchObject([
      { type: 'auth_error', message: expect.stringContaining('401') },
    ]);
    expect(only(events, 'turn_end')[0]?.status).toBe('failed');
  });

  it('knows a failure by the reason that the turn ended for, where its words say little', () => {
    const ended = (reason: string) =>
      replayLive(jsonRpcCodec(), [
        { act: 'turn', text: 'one' },
        JSON.stringify({
          type: 'notification',
          method: 'droid.session_notification',
          params: { notification: { type: 'agent_turn_completed', reason } },
        }),
      ]).events.at(0);
    expect(ended('model_authentication_failed')).toMatchObject({ type: 'auth_error' });
    expect(ended('model_usage_exhausted')).toMatchObject({ type: 'rate_limit_error', retrying: false });
    expect(ended('model_provider_unreachable')).toMatchObject({ type: 'error', code: 'NETWORK_ERROR' });
    expect(ended('structured_output_invalid')).toMatchObject({ type: 'error', code: 'OUTPUT_SCHEMA_ERROR' });
    expect(ended('something_new')).toMatchObject({ type: 'error', code: 'AGENT_ERROR' });
  });

  it('tells a rate limit when Droid tries again because of it', () => {
    const [hello] = parseRecording(recording('rate-limit.txt'));
    const { sessionId } = JSON.parse(hello?.line ?? '').params;
    const events = live('rate-limit', sessionId ? { sessionId } : {});
    expect(only(events, 'rate_limit_error')[0]).toMatchObject({ retrying: true });
  });

  it('tells a failing model as a retry of the agent', () => {
    expect(only(live('server-error'), 'retry')[0]).toMatchObject({ by: 'agent', attempt: 1, reason: 'overloaded' });
  });
});

describe('one line after the other of exec', () => {
  it('tells a whole answer and its tokens', () => {
    const events = exec('hello');
    expect(shape(events)).toEqual(['session_start', 'message_start', 'text_delta', 'message_stop', 'cost', 'turn_end']);
    expect(only(events, 'cost')[0]?.usage).toMatchObject({ inputTokens: 200, outputTokens: 34, cacheReadTokens: 1000 });
  });

  it('tells a thought once that is printed twice', () => {
    expect(only(exec('thinking'), 'thinking_delta')).toEqual([{ type: 'thinking_delta', delta: 'deep thoughts here' }]);
  });

  it('tells a call and what came of it', () => {
    expect(only(exec('tool'), 'tool_result')[0]).toMatchObject({ toolName: 'Execute', exitCode: 0 });
    const [error] = only(exec('tool-error'), 'tool_error');
    expect(error?.error).toContain('No such file or directory');
    expect(error?.denied).toBeUndefined();
  });

  it('ends at a refusal without a failure, and without the words of the CLI as an answer', () => {
    const events = exec('approval-denied');
    expect(only(events, 'tool_error')[0]?.denied).toBe(true);
    expect(only(events, 'turn_end')[0]?.status).toBe('completed');
    expect(textOf(events)).toBe('Calling a tool. ');
  });

  it('tells a failure once, by its kind', () => {
    expect(only(exec('auth-error'), 'auth_error', 'error')).toMatchObject([{ type: 'auth_error' }]);
    expect(only(exec('drop'), 'auth_error', 'error')).toMatchObject([{ type: 'error', code: 'NETWORK_ERROR' }]);
  });
});

describe('who may change what', () => {
  const settings = (options: Partial<ResolvedRunOptions>) => {
    const codec = jsonRpcCodec();
    const [hello = ''] = codec.hello(codec.open(makeResolvedOptions({ mode: 'stream-jsonrpc', ...options })));
    return JSON.parse(hello).params;
  };
  const launch = (options: Partial<ResolvedRunOptions>) => launchDroid(makeResolvedOptions(options));

  it.each(['prompt', 'accept-edits', 'deny', 'yolo', 'plan'] as const)(
    'asks in %s for the commands that Droid would run unasked',
    (approvalMode) => {
      const { files, env } = launch({ mode: 'stream-jsonrpc', approvalMode, scratchDir: '/scratch' });
      expect(env.FACTORY_RUNTIME_SETTINGS_PATH).toBe('/scratch/settings.json');
      expect(JSON.parse(files?.['settings.json'] ?? '').commandDenylist).toEqual(
        expect.arrayContaining(['ls', 'pwd', 'git log']),
      );
    },
  );

  it('lets nothing pass by itself unless all may pass', () => {
    for (const approvalMode of ['prompt', 'accept-edits', 'deny'] as const) {
      expect(settings({ approvalMode })).toMatchObject({ interactionMode: 'auto', autonomyLevel: 'off' });
    }
    expect(settings({ approvalMode: 'yolo' })).toMatchObject({ autonomyLevel: 'high', disabledToolIds: [] });
  });

  it('offers tools that never ask only where they may pass', () => {
    const unasked = ['GenerateDroid', 'GenerateImage', 'Loop', 'Task'];
    expect(settings({ approvalMode: 'prompt' }).disabledToolIds).toEqual(expect.arrayContaining(unasked));
    const allowed = settings({ approvalMode: 'prompt', allowedTools: ['Task'] });
    expect(allowed.disabledToolIds).not.toContain('Task');
    expect(allowed.enabledToolIds).toContain('Task');
    const denied = settings({ approvalMode: 'prompt', deniedTools: ['Create'] });
    expect(denied.enabledToolIds).not.toContain('Create');
    expect(denied.disabledToolIds).toContain('Create');
  });

  it('plans without a shell, whatever is allowed', () => {
    const plan = settings({ approvalMode: 'plan', allowedTools: ['Execute', 'Task'] });
    expect(plan).toMatchObject({ interactionMode: 'spec', autonomyLevel: 'off', enabledToolIds: [] });
    expect(plan.disabledToolIds).toEqual(expect.arrayContaining(['Execute', 'Task']));
    expect(only(live('plan', { approvalMode: 'plan' }), 'tool_result')).toEqual([]);
  });

  it('changes both lists with the mode, between two turns', () => {
    const codec = jsonRpcCodec();
    const state = codec.open(makeResolvedOptions({ approvalMode: 'yolo', thinkingEffort: 'low' }));
    const [line = ''] = codec.setApprovalMode?.('plan', state) ?? [];
    expect(JSON.parse(line)).toMatchObject({
      type: 'request',
      method: 'droid.update_session_settings',
      params: { interactionMode: 'spec', reasoningEffort: 'low', disabledToolIds: expect.arrayContaining(['Execute']) },
    });
  });

  it('runs no command in exec unless all may pass', () => {
    for (const approvalMode of ['plan', 'deny'] as const) {
      expect(launch({ mode: 'exec', approvalMode }).args.join(' ')).toContain('--remove-tools=Execute');
    }
    const free = launch({ mode: 'exec', approvalMode: 'yolo', deniedTools: ['Edit'] }).args.join(' ');
    expect(free).toContain('--skip-permissions-unsafe --remove-tools=Edit');
  });

  it('hands a native mode on as it is', () => {
    expect(settings({ nativePermissionMode: 'auto/low' })).toMatchObject({
      interactionMode: 'auto',
      autonomyLevel: 'low',
    });
    expect(launch({ mode: 'exec', nativePermissionMode: 'medium' }).args).toEqual(
      expect.arrayContaining(['--auto=medium']),
    );
  });
});

describe('how it is started', () => {
  it('gives the prompt on stdin, and names files after it', () => {
    const attachments = [{ path: '/n.txt', mimeType: 'text/plain', name: 'n.txt' }];
    const { args, stdin } = launchDroid(makeResolvedOptions({ mode: 'exec', prompt: '--help', attachments }));
    expect(stdin).toBe('--help\n\n/n.txt');
    expect(args).not.toContain('--help');
  });

  it('appends a system prompt by a file, and replaces its own only in a new session', () => {
    const replaced = { mode: 'stream-jsonrpc', systemPrompt: 'Rhyme.', systemPromptMode: 'replace' as const };
    const appended = launchDroid(makeResolvedOptions({ ...replaced, systemPromptMode: 'append', scratchDir: '/s' }));
    expect(appended.args).toEqual(expect.arrayContaining(['--append-system-prompt-file=/s/system-prompt.md']));
    expect(appended.files?.['system-prompt.md']).toBe('Rhyme.');
    expect(() => launchDroid(makeResolvedOptions({ ...replaced, sessionId: 'x' }))).toThrow(/only for a new session/);
  });

  it('makes plan updates of the list that the agent keeps', () => {
    const call = {
      type: 'tool_call',
      id: 'c',
      toolName: 'TodoWrite',
      parameters: { todos: '1. [completed] look\n2. [in_progress] write' },
    };
    expect(only(replayOneshot(adapter, Buffer.from(JSON.stringify(call))), 'plan_update')[0]?.entries).toEqual([
      { content: 'look', status: 'completed' },
      { content: 'write', status: 'in_progress' },
    ]);
  });
});
