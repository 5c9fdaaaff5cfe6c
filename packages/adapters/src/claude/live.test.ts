import type { EventBody, PendingRequest } from '@agent-mux/core';
import { createResolvedOptions, only, parseRecording, replayLive, textOf } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { live, oneshot, recording, spent } from '../../test/replay-claude.ts';
import { openState } from '../claude-stream/index.ts';
import { claudeCodec } from './live.ts';

describe('live conversation', () => {
  it('runs several turns in one process with one session_start', () => {
    const events = live('multi-turn');
    expect(only(events, 'session_start')).toHaveLength(1);
    expect(only(events, 'turn_end').map((event) => event.status)).toEqual(['completed', 'completed']);
    expect(spent(events).usd).toBe(0.01186);
  });

  it('sends an initialize request first and a turn as one line', () => {
    const state = claudeCodec.open(createResolvedOptions());
    expect(claudeCodec.handshake(state).map((line) => JSON.parse(line))).toEqual([
      { type: 'control_request', request_id: 'mux-1', request: { subtype: 'initialize' } },
    ]);
    expect(claudeCodec.turn({ text: '-x\ny', attachments: [] }, state).map((line) => JSON.parse(line))).toEqual([
      { type: 'user', message: { role: 'user', content: '-x\ny' }, parent_tool_use_id: null },
    ]);
  });

  it('mentions attachments, which the CLI reads itself', () => {
    const attachments = ['/w/a.png', '/w/my notes.txt'].map((path) => ({ path, mimeType: '', name: '' }));
    const [line = ''] = claudeCodec.turn({ text: 'look', attachments }, openState());
    expect(JSON.parse(line).message.content).toBe('look\n\n@/w/a.png\n@"/w/my notes.txt"');
  });

  it('describes suggested rules completely, including unknown ones', () => {
    const suggestions = [
      { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'deny', destination: 'cliArg' },
      { type: 'replaceAll', rules: ['x'], destination: 'session' },
    ];
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', input: {}, permission_suggestions: suggestions };
    const line = JSON.stringify({ type: 'control_request', request_id: 'r', request });
    const { events } = replayLive(claudeCodec, [line]);
    expect(only(events, 'approval_request')[0]?.options.map(({ label }) => label)).toEqual([
      'Allow',
      'Allow, and always deny Bash cliArg',
      'Allow, and take over {"type":"replaceAll","rules":["x"]} for this session',
      'Deny',
    ]);
  });

  it('asks for approval with the options that the agent suggests', () => {
    expect(only(live('approval'), 'approval_request')).toEqual([
      {
        type: 'approval_request',
        requestId: '875456bf-d606-40b0-a339-c02a7bf8e21a',
        toolName: 'Bash',
        title: 'Bash: touch /workspace/ok.txt && echo done (blocked path /workspace/ok.txt)',
        input: { command: 'touch /workspace/ok.txt && echo done', description: 'x' },
        toolCallId: 'toolu_3',
        options: [
          { id: 'allow', label: 'Allow', kind: 'allow_once' },
          {
            id: 'always-0',
            label: 'Allow, and always allow Bash(touch /workspace/ok.txt && echo done) in this folder',
            kind: 'allow_always',
          },
          { id: 'always-1', label: 'Allow, and allow the folders /workspace for this session', kind: 'allow_always' },
          { id: 'always-2', label: 'Allow, and switch to acceptEdits for this session', kind: 'allow_always' },
          { id: 'deny', label: 'Deny', kind: 'deny_once' },
        ],
      },
    ]);
  });

  function answered(name: string, answer: Parameters<typeof claudeCodec.resolve>[1]): unknown[] {
    const lines = parseRecording(recording(`${name}.txt`)).filter((line) => line.direction === 'in');
    const { sent } = replayLive(claudeCodec, lines, { answer: () => answer });
    return sent.filter(({ by }) => by === 'resolve').map(({ line }) => JSON.parse(line).response.response);
  }

  it('answers an approval once, always, with changed input, or with a denial', () => {
    const input = { command: 'touch /workspace/ok.txt && echo done', description: 'x' };
    expect(answered('approval', { kind: 'approval', answer: { decision: 'allow' } })).toEqual([
      { behavior: 'allow', updatedInput: input },
    ]);
    const always = { decision: 'allow', optionId: 'always-2' } as const;
    expect(answered('approval', { kind: 'approval', answer: always })).toEqual([
      {
        behavior: 'allow',
        updatedInput: input,
        updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
      },
    ]);
    const changed = { decision: 'allow', updatedInput: { command: 'true' } } as const;
    expect(answered('approval', { kind: 'approval', answer: changed })).toEqual([
      { behavior: 'allow', updatedInput: { command: 'true' } },
    ]);
    expect(answered('approval', { kind: 'approval', answer: { decision: 'deny', message: 'no' } })).toEqual([
      { behavior: 'deny', message: 'no' },
    ]);
    expect(answered('approval', { kind: 'cancelled' })).toEqual([
      { behavior: 'deny', message: 'No one answered.', interrupt: true },
    ]);
  });

  it('marks the tool call of a denied approval', () => {
    expect(only(live('approval-denied'), 'tool_error')[0]).toMatchObject({ error: 'The user said no.', denied: true });
  });

  it('asks the user questions and keys the answers by the text of the question', () => {
    const [first] = only(live('questions'), 'input_required');
    expect(first?.questions).toEqual([
      {
        id: 'Which colour?',
        question: 'Which colour?',
        header: 'Colour',
        options: [
          { label: 'Red', description: 'warm' },
          { label: 'Blue', description: 'cold' },
        ],
        multiple: false,
        freeText: true,
      },
      {
        id: 'Which sizes?',
        question: 'Which sizes?',
        header: 'Size',
        options: [
          { label: 'S', description: 'small' },
          { label: 'L', description: 'large' },
        ],
        multiple: true,
        freeText: true,
      },
    ]);
    const answers = { 'Which colour?': ['Blue'], 'Which sizes?': ['S', 'L'] };
    expect(answered('questions', { kind: 'input', answer: { answers } })[0]).toMatchObject({
      behavior: 'allow',
      updatedInput: { questions: expect.any(Array), answers: { 'Which colour?': 'Blue', 'Which sizes?': 'S, L' } },
    });
    expect(answered('questions', { kind: 'input', answer: { declined: true } })[0]).toEqual({
      behavior: 'deny',
      message: 'The user declined to answer.',
    });
  });

  it('asks before it leaves plan mode', () => {
    expect(only(live('plan-mode'), 'approval_request')[0]).toMatchObject({ toolName: 'ExitPlanMode' });
  });

  it('refuses requests that it cannot answer at once', () => {
    const line = JSON.stringify({ type: 'control_request', request_id: 'r', request: { subtype: 'elicitation' } });
    const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: true };
    const { events, replies } = claudeCodec.decode(line, openState(), context);
    expect(events).toEqual([]);
    expect(JSON.parse(replies?.[0] ?? '').response).toMatchObject({ subtype: 'error', request_id: 'r' });
  });

  it.each(['interrupt', 'interrupt-tool'])('ends the turn of %s as interrupted and runs the next one', (name) => {
    const events = live(name);
    expect(only(events, 'turn_end').map((event) => event.status)).toEqual(['interrupted', 'completed']);
    expect(only(events, 'interrupted')).toEqual([{ type: 'interrupted', by: 'caller' }]);
  });

  it('withdraws a request when an interrupt comes first', () => {
    const asked = only(live('interrupt-while-asking'), 'approval_request', 'approval_resolved');
    expect(asked[1]).toEqual({
      type: 'approval_resolved',
      requestId: asked[0]?.requestId,
      outcome: 'cancelled',
      by: 'agent',
    });
  });

  it('interrupts with a signal in the one-shot mode as well', () => {
    expect(oneshot('abort-sigint').at(-1)).toMatchObject({ type: 'turn_end', status: 'interrupted' });
  });

  it('counts a steering input to the running turn, even as a separate native turn', () => {
    const uuids: string[] = [];
    const lines = parseRecording(recording('steering.txt'));
    const state = claudeCodec.open(createResolvedOptions());
    const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: true };
    const events: EventBody[] = [];
    let ours = '';
    for (const { direction, line } of lines) {
      const message = JSON.parse(line);
      if (direction === 'out' && message.uuid) {
        const [sent = ''] = claudeCodec.steer?.({ text: message.message.content, attachments: [] }, state) ?? [];
        expect(JSON.parse(sent)).toMatchObject({ priority: 'next', message: { content: message.message.content } });
        ours = JSON.parse(sent).uuid;
        uuids.push(ours);
      } else if (direction === 'in') {
        // The recording has the ids sent at that time.
        if (message.type === 'command_lifecycle') message.command_uuid = ours;
        events.push(...claudeCodec.decode(JSON.stringify(message), state, context).events);
      }
    }
    expect(new Set(uuids).size).toBe(3);
    expect(uuids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(only(events, 'turn_end')).toHaveLength(3);
    expect(textOf(events)).toContain('PONG: plain queued');
  });

  it('switches model and permissions and reports a refusal of the agent', () => {
    const state = openState();
    const requests = [
      ...(claudeCodec.setModel?.('haiku', state) ?? []),
      ...(claudeCodec.setApprovalMode?.('deny', state) ?? []),
      ...(claudeCodec.interrupt?.(state) ?? []),
    ].map((line) => JSON.parse(line));
    expect(requests.map((request) => request.request)).toEqual([
      { subtype: 'set_model', model: 'haiku' },
      { subtype: 'set_permission_mode', mode: 'dontAsk' },
      { subtype: 'interrupt' },
    ]);
    expect(new Set(requests.map((request) => request.request_id)).size).toBe(3);
    expect(only(live('switching'), 'error')[0]?.message).toContain('bypassPermissions');
  });

  it('answers a request once, and never after it was withdrawn', () => {
    const state = openState();
    const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: true };
    const pending: PendingRequest = { kind: 'approval', requestId: 'r', toolName: 'Bash', options: [] };
    const request = {
      type: 'control_request',
      request_id: 'r',
      request: { subtype: 'can_use_tool', tool_name: 'Bash' },
    };
    claudeCodec.decode(JSON.stringify(request), state, context);
    expect(claudeCodec.resolve(pending, { kind: 'cancelled' }, state)).toHaveLength(1);
    expect(claudeCodec.resolve(pending, { kind: 'cancelled' }, state)).toEqual([]);
    claudeCodec.decode(JSON.stringify(request), state, context);
    claudeCodec.decode(JSON.stringify({ type: 'control_cancel_request', request_id: 'r' }), state, context);
    expect(claudeCodec.resolve(pending, { kind: 'cancelled' }, state)).toEqual([]);
  });
});
