import type { ApprovalOption, EventBody, PendingRequest, RequestAnswer } from '@agent-mux/core';
import { rpcReply } from '../jsonrpc/index.ts';
import { withDetails } from '../shared/approval-input.ts';
import { addBounded, entryOf, isRecord, type Json, record, records, setEntry, text, word } from '../shared/json.ts';
import type { AcpDialect } from './dialect.ts';
import type { AcpState, AcpTool } from './state.ts';
import { inputOf, kindOf, readyTool, startTool } from './tools.ts';
import { endMessage } from './updates.ts';

const KINDS: Readonly<Record<string, ApprovalOption['kind']>> = {
  allow_once: 'allow_once',
  allow_always: 'allow_always',
  reject_once: 'deny_once',
  reject_always: 'deny_always',
};

export function permissionRequest(
  rpcId: number | string,
  params: Json,
  state: AcpState,
  dialect: AcpDialect,
): EventBody[] {
  const call = record(params.toolCall);
  const toolCallId = text(call.toolCallId) ?? `permission-${rpcId}`;
  const update = { ...call, toolCallId, sessionUpdate: 'tool_call' };
  // Some agents mention a tool for the first time here.
  const before = [...endMessage(state), ...startTool(update, state, dialect)];
  const tool = entryOf(state.tools, toolCallId);
  if (tool) before.push(...readyTool(toolCallId, tool));
  const requestId = `${toolCallId}:${rpcId}`;
  setEntry(state.requests, requestId, { rpcId, toolCallId });
  const options = records(params.options).flatMap((option): ApprovalOption[] => {
    const kind = entryOf(KINDS, text(option.kind) ?? '');
    const id = word(option.optionId);
    return kind && id ? [{ id, label: text(option.name) ?? id, kind }] : [];
  });
  return [
    ...before,
    {
      type: 'approval_request',
      requestId,
      toolCallId,
      toolName: tool?.name ?? dialect.toolName?.(update) ?? word(call.kind) ?? 'tool',
      title: word(call.title) ?? tool?.name ?? 'a tool',
      input: wholeInput(call, tool),
      kind: tool?.kind ?? kindOf(call),
      options,
    },
  ];
}

/** Input of this request, not of the announced tool call, with the details the agent shows. */
function wholeInput(call: Json, tool: AcpTool | undefined): unknown {
  const shown = records(call.content).flatMap((part): unknown[] => {
    // ACP reserves `_meta` for data that is not part of the request itself.
    const { type, _meta, ...rest } = part;
    if (type === 'diff') return [rest];
    return type === 'content' ? [text(record(part.content).text) ?? part.content] : [part];
  });
  const input = inputOf(call) ?? tool?.input ?? null;
  const places = records(call.locations).map(({ path, line }) =>
    line === undefined || line === null ? path : { path, line },
  );
  const paths = shown.map((part) => record(part).path);
  const said = new Set([...(isRecord(input) ? Object.values(input) : [input]), ...paths, call.title]);
  const isNew = (value: unknown) => !said.has(value);
  return withDetails(input, { content: shown.filter(isNew), locations: places.filter(isNew) });
}

export function permissionAnswer(request: PendingRequest, answer: RequestAnswer, state: AcpState): string[] {
  const open = entryOf(state.requests, request.requestId);
  if (!open || request.kind !== 'approval') return [];
  delete state.requests[request.requestId];
  const chosen =
    answer.kind === 'approval'
      ? chooseOption(request.options, answer.answer.decision, answer.answer.optionId)
      : undefined;
  if (answer.kind === 'approval' && answer.answer.decision === 'deny') {
    state.denied = true;
    addBounded(state.deniedTools, open.toolCallId);
  }
  const outcome = chosen === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: chosen };
  return [rpcReply(state.rpc, open.rpcId, { outcome })];
}

/** The named option, else the first that decides once, else any with the same decision. */
function chooseOption(
  options: readonly ApprovalOption[],
  decision: 'allow' | 'deny',
  wanted?: string,
): string | undefined {
  if (wanted !== undefined) return wanted;
  const fitting = options.filter(({ kind }) => kind.startsWith(decision));
  return (fitting.find(({ kind }) => kind.endsWith('_once')) ?? fitting[0])?.id;
}
