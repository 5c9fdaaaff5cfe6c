import type { SessionToolCall, Transcript } from '@agent-mux/core';
import { isRecord, type Json, record, records, text, word } from './json.ts';

/** The content of a message in Google's API: a text, a part, or a list of parts. */
export function partsOf(content: unknown): Json[] {
  if (typeof content === 'string') return [{ text: content }];
  return isRecord(content) ? [content] : records(content);
}

export function textIn(parts: readonly Json[]): string {
  return parts
    .filter(({ thought }) => thought !== true)
    .map((part) => text(part.text) ?? '')
    .join('');
}

function thoughtsIn(parts: readonly Json[]): string {
  return parts
    .filter(({ thought }) => thought === true)
    .map((part) => text(part.text) ?? '')
    .join('');
}

function callsIn(parts: readonly Json[]): SessionToolCall[] {
  return parts.flatMap(({ functionCall }) => {
    const { id, name, args } = record(functionCall);
    const toolCallId = word(id);
    return toolCallId ? [{ toolCallId, toolName: word(name) ?? '', input: args }] : [];
  });
}

/** An answer part by part, in the order of the model. */
export function addParts(
  transcript: Transcript,
  parts: readonly Json[],
  facts: Parameters<Transcript['assistant']>[1],
): void {
  transcript.assistant({}, facts);
  for (const part of parts) {
    transcript.assistant({ text: textIn([part]), thinking: thoughtsIn([part]) }, facts);
    for (const call of callsIn([part])) transcript.toolCall(call, facts);
  }
}

export interface PartResult {
  toolCallId: string;
  output: string;
  isError: boolean;
}

export function resultsIn(parts: readonly Json[]): PartResult[] {
  return parts.flatMap(({ functionResponse }) => {
    const { id, response } = record(functionResponse);
    const toolCallId = word(id);
    if (!toolCallId) return [];
    const { output, error } = record(response);
    return [{ toolCallId, output: text(output) ?? text(error) ?? '', isError: error !== undefined }];
  });
}
