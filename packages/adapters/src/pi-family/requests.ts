import type { ApprovalOption, EventBody, RequestAnswer } from '@agent-mux/core';
import { entryOf, isRecord, type Json, jsonLine, setEntry, texts, word } from '../shared/json.ts';
import type { PiDialect, RequestedTool } from './dialect.ts';
import type { OpenRequest, PiState } from './state.ts';
import { kindOfCall } from './tools.ts';

const OPTIONS: readonly ApprovalOption[] = [
  { id: 'allow', label: 'Allow', kind: 'allow_once' },
  { id: 'deny', label: 'Deny', kind: 'deny_once' },
];

/** The dialogs that an extension can open; the other methods want no answer. */
export function decodeRequest(line: Json, state: PiState, dialect: PiDialect): EventBody[] {
  const requestId = word(line.id);
  if (!requestId) return [];
  const asked = dialect.askedTool(line, state);
  if (asked) {
    setEntry(state.asks, requestId, {
      kind: 'approval',
      ...(asked.toolCallId ? { toolCallId: asked.toolCallId } : {}),
    });
    return [approvalRequest(requestId, asked, dialect)];
  }
  const title = word(line.title) ?? '';
  switch (line.method) {
    case 'confirm': {
      setEntry(state.asks, requestId, { kind: 'confirm' });
      const about = word(line.message);
      const question = about ? `${title}: ${about}` : title;
      return [approvalRequest(requestId, { toolName: 'confirm', title: question }, dialect)];
    }
    case 'select':
    case 'input':
    case 'editor': {
      setEntry(state.asks, requestId, { kind: 'choice' });
      const options = texts(line.options).map((label) => ({ label }));
      const details = texts([line.message, line.placeholder, line.prefill]).filter((one) => one !== '');
      return [
        {
          type: 'input_required',
          requestId,
          questions: [{ id: requestId, question: [title, ...details].join('\n'), options, multiple: false }],
        },
      ];
    }
    case 'notify': {
      const message = word(line.message);
      const level = line.notifyType === 'warning' || line.notifyType === 'error' ? 'warn' : 'info';
      return message ? [{ type: 'debug', level, code: 'extension_notice', message }] : [];
    }
    default:
      return [];
  }
}

function approvalRequest(requestId: string, asked: RequestedTool, dialect: PiDialect): EventBody {
  const { toolName, toolCallId, input, title } = asked;
  const command = isRecord(input) ? (word(input.command) ?? word(input.path)) : undefined;
  return {
    type: 'approval_request',
    requestId,
    toolName,
    title: command ? `${title}: ${command}` : title,
    ...(input === undefined ? {} : { input }),
    ...(toolCallId ? { toolCallId } : {}),
    ...kindOfCall(toolName, input, dialect),
    options: [...OPTIONS],
  };
}

export function encodeAnswer(requestId: string, answer: RequestAnswer, state: PiState, dialect: PiDialect): string[] {
  const ask = entryOf(state.asks, requestId);
  if (!ask) return [];
  delete state.asks[requestId];
  const verdict = verdictOf(ask, answer, dialect);
  if (verdict.refused && ask.toolCallId) setEntry(state.denied, ask.toolCallId, true);
  return [jsonLine({ type: 'extension_ui_response', id: requestId, ...verdict.body })];
}

function verdictOf(ask: OpenRequest, answer: RequestAnswer, dialect: PiDialect): { body: Json; refused: boolean } {
  const cancelled = { body: { cancelled: true }, refused: true };
  if (answer.kind === 'cancelled') return cancelled;
  if (answer.kind === 'input') {
    if (!('answers' in answer.answer)) return cancelled;
    const value = Object.values(answer.answer.answers).flat().join(', ');
    return { body: { value }, refused: false };
  }
  const allowed = answer.answer.decision === 'allow';
  if (ask.kind === 'confirm') return { body: { confirmed: allowed }, refused: !allowed };
  return { body: allowed ? dialect.allow : dialect.deny, refused: !allowed };
}
