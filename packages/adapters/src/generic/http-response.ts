import type { EventBody } from '@agent-mux/core';
import { errorEvent } from '../shared/failures.ts';
import { amount } from '../shared/json.ts';
import { errorMessage, type ResponseText, textOf } from './http-text.ts';
import { valueAt } from './json-path.ts';

/** Paths in a JSON answer, such as `choices[0].message.content`. */
export interface ResponsePaths {
  /** In a whole answer. */
  answer: string;
  /** In a piece of a streamed one. */
  delta?: string;
  inputTokens?: string;
  outputTokens?: string;
}

/** Text of a whole answer or a piece of it; undefined: none, as in pieces that only open or close an answer. */
export function readAt(value: unknown, { answer, delta }: ResponsePaths): ResponseText | undefined {
  const found = valueAt(value, answer) ?? (delta === undefined ? undefined : valueAt(value, delta));
  const text = textOf(found);
  if (text !== undefined) return { kind: 'text', text };
  const message = errorMessage(value);
  return message === undefined ? undefined : { kind: 'error', message };
}

export function usageAt(value: unknown, { inputTokens, outputTokens }: ResponsePaths): EventBody[] {
  if (inputTokens === undefined && outputTokens === undefined) return [];
  const input = inputTokens === undefined ? null : (amount(valueAt(value, inputTokens)) ?? null);
  const output = outputTokens === undefined ? null : (amount(valueAt(value, outputTokens)) ?? null);
  if (input === null && output === null) return [];
  const usage = {
    inputTokens: input,
    outputTokens: output,
    cacheReadTokens: null,
    cacheCreationTokens: null,
    totalTokens: input === null || output === null ? null : input + output,
  };
  return [{ type: 'cost', usage, costUsd: null, scope: 'turn', source: 'reported' }];
}

export function noResponseAt({ answer, delta }: ResponsePaths, came: string): EventBody {
  const places = delta === undefined ? answer : `${answer} or ${delta}`;
  const what = came === '' ? 'an empty answer' : `an answer that starts with ${came}`;
  return errorEvent('AGENT_ERROR', `no value at ${places} (fields answer and delta of the definition) in ${what}`);
}
