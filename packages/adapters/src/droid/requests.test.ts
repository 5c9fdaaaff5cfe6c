import type { ApprovalMode } from '@agent-mux/core';
import { only, replayLive } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { live } from '../../test/replay-droid.ts';
import { jsonRpcCodec } from './live.ts';

describe('requests of Droid', () => {
  it('runs an allowed command', () => {
    const events = live('granted', { approvalMode: 'prompt' });
    const [request] = only(events, 'approval_request');
    expect(request).toMatchObject({ toolName: 'Execute', kind: 'execute', title: 'Run: touch approved.txt' });
    expect(request?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_always', 'deny_once']);
    expect(request?.toolCallId).toBe(only(events, 'tool_result')[0]?.toolCallId);
  });

  it('ends a denied command as denied', () => {
    const events = live('denied', { approvalMode: 'prompt' });
    expect(only(events, 'tool_error')[0]).toMatchObject({ toolName: 'Execute', denied: true });
    expect(only(events, 'turn_end')[0]?.status).toBe('completed');
  });

  it('reports an edit inside the folder as an edit, with the file', () => {
    const events = live('accept-edits', { approvalMode: 'accept-edits' });
    expect(only(events, 'approval_request').map(({ kind }) => kind)).toEqual(['edit', 'execute']);
    // Droid's parsed command differs from the text of the model.
    expect(only(events, 'approval_request')[1]?.input).toMatchObject({
      command: 'sh -c "id > commanded.txt"',
      request: { fullCommand: 'id > commanded.txt' },
    });
    expect(only(events, 'file_change')).toMatchObject([{ path: '/workspace/edited.txt', change: 'create' }]);
  });

  it('marks an edit outside the folder as elevated', () => {
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
    expect(only(events, 'approval_request')[0]).toMatchObject({ kind: 'edit', elevated: true });
  });

  it('uses the most severe kind of several calls and marks them as elevated', () => {
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
    expect(asked(create, create)?.elevated).toBeUndefined();
    expect(asked(create, use('e', 'Execute', 'exec', { fullCommand: 'ls' }))).toMatchObject({
      kind: 'execute',
      elevated: true,
    });
    expect(asked(create, use('u', 'Unknown', 'later', {}))).toMatchObject({ kind: 'edit', elevated: true });
  });

  it('asks a question and passes the answer on', () => {
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
