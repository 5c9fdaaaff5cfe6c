import { isAbsolute, relative } from 'node:path';
import {
  type ApprovalOption,
  type Decoded,
  type PendingRequest,
  type Question,
  type RequestAnswer,
  stricterKind,
  type ToolKind,
} from '@agent-mux/core';
import { refuseRequest, rpcReply } from '../jsonrpc/index.ts';
import { withDetails } from '../shared/approval-input.ts';
import {
  addBounded,
  entryOf,
  type Json,
  number,
  record,
  records,
  setEntry,
  text,
  texts,
  word,
} from '../shared/json.ts';
import { readyTool } from './items.ts';
import type { DroidState, OpenRequest } from './state.ts';

/** Requests of Droid to its client. */
export function agentRequest(rpcId: number | string, method: string, params: Json, state: DroidState): Decoded<string> {
  switch (method) {
    case 'droid.request_permission':
      return permission(rpcId, params, state);
    case 'droid.ask_user':
      return questions(rpcId, params, state);
    default:
      return refuseRequest(state.rpc, rpcId, method);
  }
}

export function answerLines(request: PendingRequest, answer: RequestAnswer, state: DroidState): string[] {
  const open = entryOf(state.requests, request.requestId);
  if (!open) return [];
  delete state.requests[request.requestId];
  const result = open.kind === 'questions' ? questionAnswers(open, answer) : decision(open, answer, state);
  return [rpcReply(state.rpc, open.rpcId, result)];
}

function decision(open: Extract<OpenRequest, { kind: 'approval' }>, answer: RequestAnswer, state: DroidState): Json {
  if (answer.kind !== 'approval') return { selectedOption: 'cancel' };
  const { answer: given } = answer;
  if (given.decision === 'allow') return { selectedOption: given.optionId ?? 'proceed_once' };
  addBounded(state.denied, ...open.toolCallIds);
  return { selectedOption: given.optionId ?? 'cancel', ...(given.message ? { comment: given.message } : {}) };
}

/** One request for all calls of a message that need an answer. */
function permission(rpcId: number | string, params: Json, state: DroidState): Decoded<string> {
  const uses = records(params.toolUses);
  const calls = uses.map((use) => record(use.toolUse));
  const names = uses.map(nameOf);
  const allowed = state.approvalMode !== 'plan' && names.length > 0;
  if (allowed && names.every((name) => state.named.allowed.includes(name))) {
    return { events: [], replies: [rpcReply(state.rpc, rpcId, { selectedOption: 'proceed_once' })] };
  }
  const requestId = String(rpcId);
  const toolCallIds = texts(calls.map(({ id }) => id));
  setEntry(state.requests, requestId, { kind: 'approval', rpcId, toolCallIds });
  const [toolCallId] = toolCallIds;
  const ready = calls.flatMap(({ id, input }) => readyTool(text(id) ?? '', input, state));
  return {
    events: [
      ...ready,
      {
        type: 'approval_request',
        requestId,
        toolName: [...new Set(names)].join(', ') || 'tool',
        title: uses.map(titleOf).join('; '),
        input:
          uses.length === 1
            ? wholeInput(uses[0] ?? {})
            : uses.map((use) => ({ name: nameOf(use), input: wholeInput(use) })),
        ...(toolCallId && entryOf(state.tools, toolCallId) ? { toolCallId } : {}),
        ...kindOf(uses, state.cwd),
        options: optionsOf(params.options),
      },
    ],
  };
}

function nameOf(use: Json): string {
  return text(record(use.toolUse).name) ?? '';
}

/** Droid may run something other than the text of the model: its details show it. */
function wholeInput(use: Json): unknown {
  return withDetails(record(use.toolUse).input, record(use.details));
}

function titleOf(use: Json): string {
  const details = record(use.details);
  const command = word(details.fullCommand);
  const path = word(details.filePath);
  if (command) return `Run: ${command}`;
  if (path) return `Change ${path}`;
  if (use.confirmationType === 'exit_spec_mode') return `Carry out the plan: ${text(details.title) ?? ''}`;
  return `Use ${word(details.actualToolName) ?? text(record(use.toolUse).name) ?? 'a tool'}`;
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  exec: 'execute',
  create: 'edit',
  edit: 'edit',
  apply_patch: 'edit',
  mcp_tool: 'mcp',
};

/**
 * The most severe kind of several calls counts; if they differ, or an edit is outside the folder of the run, no mode
 * allows it without asking.
 */
function kindOf(uses: readonly Json[], cwd: string): { kind: ToolKind; elevated?: true } {
  const kinds = uses.map((use): ToolKind => entryOf(KINDS, text(use.confirmationType) ?? '') ?? 'other');
  const kind = kinds.reduce(stricterKind, 'other');
  const isOutside = (use: Json, index: number) =>
    kinds[index] === 'edit' && !isInside(text(record(use.details).filePath), cwd);
  const elevated = kinds.some((one) => one !== kind) || uses.some(isOutside);
  return { kind, ...(elevated ? { elevated } : {}) };
}

function isInside(path: string | undefined, folder: string): boolean {
  if (path === undefined || !isAbsolute(path)) return false;
  const way = relative(folder, path);
  return way !== '' && !way.startsWith('..') && !isAbsolute(way);
}

/** Options that start another session or need an edited plan are omitted. */
function optionsOf(offered: unknown): ApprovalOption[] {
  return records(offered).flatMap((option): ApprovalOption[] => {
    const id = text(option.value) ?? '';
    const label = text(option.label) ?? id;
    if (id === 'proceed_once') return [{ id, label, kind: 'allow_once' }];
    if (id === 'cancel') return [{ id, label, kind: 'deny_once' }];
    return /^proceed_(?:always|auto_run)/.test(id) ? [{ id, label, kind: 'allow_always' }] : [];
  });
}

function questions(rpcId: number | string, params: Json, state: DroidState): Decoded<string> {
  const requestId = String(rpcId);
  const asked = records(params.questions);
  const kept = asked.map((one) => ({ index: number(one.index) ?? 0, question: text(one.question) ?? '' }));
  setEntry(state.requests, requestId, { kind: 'questions', rpcId, questions: kept });
  const list = asked.map((one): Question => {
    const header = word(one.topic);
    return {
      id: String(one.index),
      question: text(one.question) ?? '',
      ...(header ? { header } : {}),
      options: texts(one.options).map((label) => ({ label })),
      multiple: one.multiSelect === true,
      freeText: true,
    };
  });
  return { events: [{ type: 'input_required', requestId, questions: list }] };
}

function questionAnswers(open: Extract<OpenRequest, { kind: 'questions' }>, answer: RequestAnswer): Json {
  if (answer.kind !== 'input' || 'declined' in answer.answer) return { cancelled: true, answers: [] };
  const given = answer.answer.answers;
  const answers = open.questions.map(({ index, question }) => ({
    index,
    question,
    answer: (entryOf(given, String(index)) ?? []).join(', '),
  }));
  return { cancelled: false, answers };
}
