import type { ApprovalOption, EventBody, Question, RequestAnswer } from '@agent-mux/core';
import { entryOf, type Json, jsonLine, record, records, setEntry, texts, word } from '../shared/json.ts';
import type { StreamDialect } from './dialect.ts';
import type { OpenRequest, StreamState } from './state.ts';
import { mcpName } from './tools.ts';

const ALLOW = 'allow';
const DENY = 'deny';
const ALWAYS = 'always-';

export function controlRequest(id: string, request: Json): string {
  return jsonLine({ type: 'control_request', request_id: id, request });
}

function controlReply(id: string, response: Json): string {
  return jsonLine({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
}

function controlRefusal(id: string, error: string): string {
  return jsonLine({ type: 'control_response', response: { subtype: 'error', request_id: id, error } });
}

/** A request of the agent. Requests that cannot be answered are refused at once, or the agent would wait forever. */
export function decodeRequest(
  line: Json,
  state: StreamState,
  dialect: StreamDialect,
): { events: EventBody[]; replies: string[] } {
  const requestId = word(line.request_id) ?? '';
  const request = record(line.request);
  if (request.subtype !== 'can_use_tool') {
    return { events: [], replies: [controlRefusal(requestId, `Not supported: ${word(request.subtype) ?? 'request'}`)] };
  }
  const toolName = word(request.tool_name) ?? '';
  const isQuestion = toolName === dialect.questionTool;
  const toolCallId = word(request.tool_use_id);
  const ask: OpenRequest = {
    kind: isQuestion ? 'input' : 'approval',
    toolName,
    input: record(request.input),
    suggestions: dialect.suggestsAnswersOnly ? [] : records(request.permission_suggestions),
    ...(toolCallId ? { toolCallId } : {}),
  };
  setEntry(state.asks, requestId, ask);
  const event = isQuestion ? requireInput(requestId, ask, dialect) : approvalRequest(requestId, request, ask);
  return { events: [event], replies: [] };
}

function approvalRequest(requestId: string, request: Json, ask: OpenRequest): EventBody {
  const toolCallId = word(request.tool_use_id);
  const about = word(ask.input.command) ?? word(request.description) ?? word(request.blocked_path);
  const name = word(request.display_name) ?? ask.toolName;
  return {
    type: 'approval_request',
    requestId,
    toolName: ask.toolName,
    title: `${about ? `${name}: ${about}` : name}${whyAsked(request, about)}`,
    // In the tool's own format, so that it can be sent back changed. Further details from the agent are in the title.
    input: ask.input,
    ...(toolCallId ? { toolCallId } : {}),
    ...(mcpName(ask.toolName) ? { kind: 'mcp' as const } : {}),
    options: optionsOf(ask),
  };
}

function whyAsked(request: Json, about: string | undefined): string {
  const path = word(request.blocked_path);
  const parts = [word(request.decision_reason), path && path !== about ? `blocked path ${path}` : undefined];
  const said = parts.filter((part) => part !== undefined).join('; ');
  return said ? ` (${said})` : '';
}

function optionsOf(ask: OpenRequest): ApprovalOption[] {
  return [
    { id: ALLOW, label: 'Allow', kind: 'allow_once' },
    ...ask.suggestions.map(
      (suggestion, index): ApprovalOption => ({
        id: `${ALWAYS}${index}`,
        label: suggestionLabel(suggestion),
        kind: 'allow_always',
      }),
    ),
    { id: DENY, label: 'Deny', kind: 'deny_once' },
  ];
}

const DESTINATIONS: Readonly<Record<string, string>> = {
  session: 'for this session',
  localSettings: 'in this folder',
  projectSettings: 'in this project',
  userSettings: 'everywhere',
};

function suggestionLabel(suggestion: Json): string {
  const destination = word(suggestion.destination) ?? '';
  const where = entryOf(DESTINATIONS, destination) ?? destination;
  const what = suggestionMeaning(suggestion);
  return `Allow, and ${what} ${where}`.trim();
}

function suggestionMeaning(suggestion: Json): string {
  switch (suggestion.type) {
    case 'addRules': {
      const rules = records(suggestion.rules).map((rule) => {
        const content = word(rule.ruleContent);
        return content ? `${word(rule.toolName)}(${content})` : (word(rule.toolName) ?? '');
      });
      return `always ${word(suggestion.behavior) ?? 'allow'} ${rules.join(', ')}`;
    }
    case 'setMode':
      return `switch to ${word(suggestion.mode)}`;
    case 'addDirectories':
      return `allow the folders ${texts(suggestion.directories).join(', ')}`;
    default: {
      // Unknown suggestions are accepted as they are.
      const { destination: _, ...rest } = suggestion;
      return `take over ${JSON.stringify(rest)}`;
    }
  }
}

/** The id of a question is the key the agent expects for its answer. */
function requireInput(requestId: string, ask: OpenRequest, dialect: StreamDialect): EventBody {
  const questions = records(ask.input.questions).map((entry, index): Question => {
    const question = word(entry.question) ?? '';
    const header = word(entry.header);
    return {
      id: dialect.answersByIndex ? String(index) : question,
      question,
      ...(header ? { header } : {}),
      options: records(entry.options).map((option) => {
        const description = word(option.description);
        return { label: word(option.label) ?? '', ...(description ? { description } : {}) };
      }),
      multiple: entry.multiSelect === true,
      // Its own terminal UI has "Other" below every list.
      freeText: true,
    };
  });
  return { type: 'input_required', requestId, questions };
}

/** The agent withdraws a request (it was interrupted). */
export function decodeCancel(line: Json, state: StreamState): EventBody[] {
  const requestId = word(line.request_id) ?? '';
  const ask = entryOf(state.asks, requestId);
  if (!ask) return [];
  delete state.asks[requestId];
  return ask.kind === 'input'
    ? [{ type: 'input_resolved', requestId, outcome: 'cancelled', by: 'agent' }]
    : [{ type: 'approval_resolved', requestId, outcome: 'cancelled', by: 'agent' }];
}

export function encodeAnswer(requestId: string, answer: RequestAnswer, state: StreamState): string[] {
  const ask = entryOf(state.asks, requestId);
  if (!ask) return [];
  delete state.asks[requestId];
  const reply = verdict(ask, answer);
  if (reply.behavior === 'deny' && ask.toolCallId) setEntry(state.denied, ask.toolCallId, 'denied');
  return [controlReply(requestId, reply)];
}

function verdict(ask: OpenRequest, answer: RequestAnswer): Json {
  if (answer.kind === 'cancelled') return { behavior: 'deny', message: 'No one answered.', interrupt: true };
  if (answer.kind === 'input') {
    if (!('answers' in answer.answer)) return { behavior: 'deny', message: 'The user declined to answer.' };
    const answers = Object.fromEntries(
      Object.entries(answer.answer.answers).map(([question, chosen]) => [question, chosen.join(', ')]),
    );
    return { behavior: 'allow', updatedInput: { ...ask.input, answers } };
  }
  if (answer.answer.decision === 'deny') {
    return { behavior: 'deny', message: answer.answer.message ?? 'The user denied this.' };
  }
  const chosen = answer.answer.optionId;
  const suggestion = chosen?.startsWith(ALWAYS) ? ask.suggestions[Number(chosen.slice(ALWAYS.length))] : undefined;
  return {
    behavior: 'allow',
    updatedInput: answer.answer.updatedInput ?? ask.input,
    ...(suggestion ? { updatedPermissions: [suggestion] } : {}),
  };
}

/** The agent's reply to one of our requests; only a refusal is reported. */
export function decodeReply(line: Json, state: StreamState): EventBody[] {
  const response = record(line.response);
  const id = word(response.request_id) ?? '';
  const what = entryOf(state.sent, id);
  delete state.sent[id];
  if (response.subtype !== 'error') return [];
  const message = `The agent refused ${what ?? 'a request'}: ${word(response.error) ?? 'no reason given'}`;
  return [{ type: 'error', code: 'AGENT_ERROR', message, recoverable: true }];
}
