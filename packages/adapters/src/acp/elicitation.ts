import type { EventBody, PendingRequest, Question, RequestAnswer } from '@agent-mux/core';
import { rpcReply } from '../jsonrpc/index.ts';
import { entryOf, type Json, record, records, setEntry, text, word } from '../shared/json.ts';
import type { AcpState } from './state.ts';
import { endMessage } from './updates.ts';

/** A form whose every field is a question: single choice, multiple choice, or free text. */
export function elicitation(rpcId: number | string, params: Json, state: AcpState): EventBody[] {
  const fields = Object.entries(record(record(params.requestedSchema).properties));
  const message = text(params.message) ?? '';
  const lines = message.split('\n');
  // Only the message holds the questions themselves; the fields have headings.
  const asked = fields.length === 1 ? [message] : lines.length === fields.length ? lines : [];
  const [first, ...others] = fields.map(([id, field], at) => questionOf(id, record(field), asked[at]));
  // Text that cannot be split by question goes with the first one.
  const whole =
    first && asked.length === 0 && message ? { ...first, question: `${message}\n${first.question}` } : first;
  const questions = [...(whole ? [whole] : []), ...others];
  const requestId = `elicitation:${rpcId}`;
  const multiple = questions.filter((question) => question.multiple).map(({ id }) => id);
  setEntry(state.forms, requestId, { rpcId, multiple });
  return [...endMessage(state), { type: 'input_required', requestId, questions }];
}

export function elicitationAnswer(request: PendingRequest, answer: RequestAnswer, state: AcpState): string[] {
  const form = entryOf(state.forms, request.requestId);
  if (!form) return [];
  delete state.forms[request.requestId];
  if (answer.kind !== 'input') return [rpcReply(state.rpc, form.rpcId, { action: 'cancel' })];
  if ('declined' in answer.answer) return [rpcReply(state.rpc, form.rpcId, { action: 'decline' })];
  const content = Object.fromEntries(
    Object.entries(answer.answer.answers).map(([id, chosen]) => [
      id,
      form.multiple.includes(id) ? chosen : chosen.join(', '),
    ]),
  );
  return [rpcReply(state.rpc, form.rpcId, { action: 'accept', content })];
}

function questionOf(id: string, field: Json, asked: string | undefined): Question {
  const multiple = field.type === 'array';
  const choices = records(multiple ? record(field.items).anyOf : field.oneOf);
  const header = word(field.title);
  return {
    id,
    question: word(asked) ?? word(field.description) ?? header ?? id,
    ...(header === undefined ? {} : { header }),
    options: choices.map((choice) => {
      const description = word(choice.description);
      return { label: text(choice.const) ?? '', ...(description === undefined ? {} : { description }) };
    }),
    multiple,
  };
}
