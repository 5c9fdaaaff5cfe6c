import type { ApprovalOption, Decoded, EventBody, HttpCall, PendingRequest, RequestAnswer } from '@agent-mux/core';
import { entryOf, type Json, record, records, setEntry, text, texts, word } from '../../shared/json.ts';
import { evaluate } from '../permissions.ts';
import { serverOf } from '../tools.ts';
import { call } from './calls.ts';
import type { FamilyState } from './state.ts';

/** "Always" allows the patterns that the server derived from this request, as long as it runs. */
function optionsOf(permission: string, always: readonly string[]): ApprovalOption[] {
  return [
    { id: 'once', label: 'Allow once', kind: 'allow_once' },
    { id: 'always', label: `Allow always: ${[permission, always.join(', ')].join(' ').trim()}`, kind: 'allow_always' },
    { id: 'reject', label: 'Reject', kind: 'deny_once' },
  ];
}

/** Not the use of a tool, but a limit that it has run into: a list of allowed tools does not cover these. */
const LIMITS: ReadonlySet<string> = new Set(['external_directory', 'doom_loop']);

export function askPermission(properties: Json, state: FamilyState): Decoded<HttpCall> {
  const requestId = word(properties.id);
  const permission = word(properties.permission);
  if (!requestId || !permission) return { events: [] };
  const callId = word(record(properties.tool).callID);
  const tool = Object.values(state.tools).find((one) => one.callId === callId);
  const toolName = tool?.name ?? permission;
  const patterns = texts(properties.patterns);
  const settled = settledBeforehand(permission, patterns, toolName, text(properties.sessionID), state);
  if (settled) return { events: [], replies: [permissionReply(requestId, settled, state)] };
  const metadata = record(properties.metadata);
  const what = word(metadata.command) ?? patterns.join(', ');
  const server = serverOf(toolName, state.mcpServers);
  const event: EventBody = {
    type: 'approval_request',
    requestId,
    toolName,
    title: what ? `${permission}: ${what}` : permission,
    input: { permission, patterns, always: texts(properties.always), ...metadata },
    ...(callId ? { toolCallId: callId } : {}),
    ...(server === undefined ? {} : { kind: 'mcp' as const }),
    ...(LIMITS.has(permission) ? { elevated: true } : {}),
    options: optionsOf(permission, texts(properties.always)),
  };
  return { events: [event] };
}

/**
 * Our own server asks for everything that a subagent does (see launch.ts): here the rules of its session are applied.
 */
function settledBeforehand(
  permission: string,
  patterns: readonly string[],
  toolName: string,
  sessionId: string | undefined,
  state: FamilyState,
): Json | undefined {
  if (!LIMITS.has(permission) && state.allowedTools.includes(toolName)) return { reply: 'once' };
  if (!state.withRules || sessionId === state.sessionId) return undefined;
  const actions = (patterns.length > 0 ? patterns : ['*']).map((one) => evaluate(state.rules, permission, one));
  if (actions.includes('deny')) return { reply: 'reject', message: 'This is not allowed here.' };
  return actions.every((action) => action === 'allow') ? { reply: 'once' } : undefined;
}

export function askQuestion(properties: Json, state: FamilyState): EventBody[] {
  const requestId = word(properties.id);
  if (!requestId) return [];
  const questions = records(properties.questions).map((one, index) => ({
    id: String(index),
    question: text(one.question) ?? '',
    ...(word(one.header) ? { header: word(one.header) } : {}),
    options: records(one.options).map((option) => ({
      label: text(option.label) ?? '',
      ...(word(option.description) ? { description: word(option.description) } : {}),
    })),
    multiple: one.multiple === true,
    freeText: one.custom !== false,
  }));
  setEntry(state.questions, requestId, questions.length);
  return [{ type: 'input_required', requestId, questions }];
}

export function answerCalls(request: PendingRequest, answer: RequestAnswer, state: FamilyState): HttpCall[] {
  const { requestId } = request;
  if (request.kind === 'approval') {
    // Cancelled: without a message the turn ends.
    const body = answer.kind === 'approval' ? verdict(answer.answer) : { reply: 'reject' };
    return [permissionReply(requestId, body, state)];
  }
  const count = entryOf(state.questions, requestId);
  if (count === undefined) return [];
  delete state.questions[requestId];
  const path = `/question/${encodeURIComponent(requestId)}`;
  if (answer.kind !== 'input' || 'declined' in answer.answer) {
    return [call('other', 'POST', `${path}/reject`, state)];
  }
  const given = answer.answer.answers;
  const answers = Array.from({ length: count }, (_, index) => given[String(index)] ?? []);
  return [call('other', 'POST', `${path}/reply`, state, { answers })];
}

/** A rejection with a message reaches the model, which continues; one without ends the turn. */
function verdict(answer: { decision: 'allow' | 'deny'; optionId?: string; message?: string }): Json {
  if (answer.decision === 'allow') return { reply: answer.optionId === 'always' ? 'always' : 'once' };
  return { reply: 'reject', message: answer.message ?? 'The user does not allow this.' };
}

function permissionReply(requestId: string, body: Json, state: FamilyState): HttpCall {
  return call('other', 'POST', `/permission/${encodeURIComponent(requestId)}/reply`, state, body);
}
