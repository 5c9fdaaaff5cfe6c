import { summarizeRequest } from '@agent-mux/core';
import { createResolvedOptions, only, replayLive, textOf } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { live } from '../../../test/replay-codex.ts';
import { appServerCodec } from './live.ts';

describe('tools and approvals', () => {
  it('asks for commands and patches and reports their outcome', () => {
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

  it('hides fields that only Codex itself needs', () => {
    const shown = only(live('approvals'), 'approval_request').map((event) =>
      summarizeRequest(event).lines.map(({ kind, text }) => `${kind} ${text}`),
    );
    expect(shown[0]).toEqual(["field command: /bin/bash -lc 'touch a.txt'", 'field cwd: /workspace']);
    expect(shown[2]).toEqual([
      'field paths: /workspace/p.txt',
      'field changes[0].path: /workspace/p.txt',
      'field change of /workspace/p.txt (changes[0]):',
      'added hello',
    ]);
  });

  it('shows a field with an unusual value', () => {
    const params = {
      ...{ itemId: 'x', command: 'ls', cwd: '/workspace', kind: 'command', environmentId: 'cloud' },
      ...{ additionalPermissions: { network: true } },
    };
    const line = JSON.stringify({ id: 9, method: 'item/commandExecution/requestApproval', params });
    const { events } = replayLive(appServerCodec(), [line]);
    expect(summarizeRequest(only(events, 'approval_request')[0]!).lines.map(({ text }) => text)).toEqual([
      'command: ls',
      'cwd: /workspace',
      'environmentId: cloud',
      'additionalPermissions.network: true',
    ]);
  });

  it('passes on the whole request and describes what is allowed for the session', () => {
    const [command, , patch] = only(live('approvals'), 'approval_request');
    expect(command?.input).toEqual({ command: "/bin/bash -lc 'touch a.txt'", cwd: '/workspace' });
    expect(patch?.input).toMatchObject({ changes: [{ path: '/workspace/p.txt', content: 'hello\n' }] });
    expect(patch?.options[1]?.label).toBe('Yes, and changes of these files again in this session');
    const params = { itemId: 'x', permissions: { network: true }, cwd: '/other', reason: 'why' };
    const request = JSON.stringify({ id: 9, method: 'item/permissions/requestApproval', params });
    const { events } = replayLive(appServerCodec(), [request]);
    expect(only(events, 'approval_request')[0]?.input).toEqual({
      permissions: { network: true },
      cwd: '/other',
      reason: 'why',
    });
  });

  it('accepts patches inside the folders in accept-edits and asks for everything else', () => {
    const events = live('accept-edits', { approvalMode: 'accept-edits' });
    expect(only(events, 'approval_request')).toMatchObject([
      { toolName: 'apply_patch', kind: 'edit', elevated: true, input: { paths: ['/elsewhere/outside.txt'] } },
      { toolName: 'exec_command', kind: 'execute' },
    ]);
    expect(only(events, 'file_change').map(({ path }) => path)).toEqual(['/workspace/inside.txt']);
  });

  it('classifies a patch by its most severe change', () => {
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

  it('steers the reason for a denial into the running turn, unless the turn stops', () => {
    const codec = appServerCodec();
    const say = (
      answer: { decision: 'deny'; message?: string; optionId?: string },
      turnId: string | null = 'turn-1',
    ) => {
      const state = codec.open(createResolvedOptions({ mode: 'app-server' }));
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

  it('reports a failed command', () => {
    expect(only(live('tool-error', { approvalMode: 'yolo' }), 'tool_error')).toMatchObject([
      { toolName: 'exec_command', error: 'oops', output: 'oops\n' },
    ]);
  });

  it('passes questions of the agent to the caller', () => {
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

  it('reports a subagent, keeps its output apart and counts its tokens', () => {
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

  it('refuses unknown requests', () => {
    const codec = appServerCodec();
    const state = codec.open(createResolvedOptions({ mode: 'app-server' }));
    const context = { now: 0, sessionId: undefined, turnIndex: 0, turnActive: true };
    const { events, replies } = codec.decode('{"id":7,"method":"attestation/generate","params":{}}', state, context);
    expect(events).toEqual([]);
    expect(JSON.parse(replies?.[0] ?? '')).toMatchObject({ id: 7, error: { code: -32601 } });
  });
});
