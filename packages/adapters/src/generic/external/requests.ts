import { type ApprovalOption, type Decoded, type EventBody, type Question, toJson } from '@agent-mux/core';
import { withDetails } from '../../shared/approval-input.ts';
import { addBounded, type Json, list, record, text } from '../../shared/json.ts';
import { ignoreLine } from './ignored.ts';
import { encode, readKind } from './protocol.ts';
import type { ExternalState } from './state.ts';

/** The protocol has only yes and no. */
const YES_OR_NO: readonly ApprovalOption[] = [
  { id: 'allow', label: 'Allow', kind: 'allow_once' },
  { id: 'deny', label: 'Deny', kind: 'deny_once' },
];

export function askPermission(message: Json, state: ExternalState): Decoded<string> {
  const requestId = text(message.request_id);
  const toolName = text(message.tool) ?? 'tool';
  if (!requestId || isOpen(requestId, state)) {
    return ignoreLine('a permission.request needs a fresh request_id', toJson(message));
  }
  const resource = text(message.resource);
  const request: EventBody = {
    type: 'approval_request',
    requestId,
    toolName,
    title: text(message.description) || [toolName, resource].filter(Boolean).join(' '),
    input: message.input === undefined ? resource && { resource } : withDetails(message.input, { resource }),
    toolCallId: text(message.tool_call_id),
    kind: readKind(message.kind),
    options: [...YES_OR_NO],
  };
  addBounded(state.openPermissions, requestId);
  return { events: [request] };
}

export function askQuestion(message: Json, state: ExternalState): Decoded<string> {
  const requestId = text(message.request_id);
  const questions = list(message.questions).flatMap(readQuestion);
  if (!requestId || questions.length === 0 || isOpen(requestId, state)) {
    return ignoreLine('a question needs a fresh request_id and a question', toJson(message));
  }
  addBounded(state.openQuestions, requestId);
  return { events: [{ type: 'input_required', requestId, questions }] };
}

function isOpen(id: string, state: ExternalState): boolean {
  return state.openPermissions.includes(id) || state.openQuestions.includes(id);
}

function readQuestion(value: unknown, index: number): Question[] {
  const question = text(record(value).question);
  if (!question) return [];
  const given = record(value);
  const options = list(given.options).flatMap((option) => {
    const label = text(option) ?? text(record(option).label);
    return label ? [{ label, description: text(record(option).description) }] : [];
  });
  const [multiple, freeText] = [given.multiple === true, given.free_text === true];
  const id = text(given.id) ?? `q${index + 1}`;
  return [{ id, question, header: text(given.header), options, multiple, freeText }];
}

/** An adapter that waits for an answer must get one, whatever ends the conversation. */
export function refuseOpen(state: ExternalState): string[] {
  const session_id = state.sessionId;
  const refused = state.openPermissions.map((request_id) =>
    encode({ type: 'permission.response', session_id, request_id, approved: false, cancelled: true }),
  );
  const declined = state.openQuestions.map((request_id) =>
    encode({ type: 'question.answer', session_id, request_id, declined: true, cancelled: true }),
  );
  state.openPermissions = [];
  state.openQuestions = [];
  return [...refused, ...declined];
}
