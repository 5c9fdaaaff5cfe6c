import type { EventBody, ParseContext } from '@agent-mux/core';
import { parseRecord, word } from '../shared/json.ts';
import { readContinueFailure } from './errors.ts';

/** Stdout is the answer and a newline, stderr `{"status":"error","message":...}` when it fails. */
export function parseContinueLine(line: string, context: ParseContext): EventBody[] | null {
  const state = context.adapterState;
  if (context.source === 'stderr') {
    const told = parseRecord(line);
    const message = told?.status === 'error' ? word(told.message) : undefined;
    if (message === undefined) return null;
    state.failed = true;
    return [readContinueFailure(message)];
  }
  const delta = state.spoken ? `\n${line}` : line;
  state.spoken = true;
  return [{ type: 'text_delta', delta }];
}

/** A process that is terminated exits with 0 as well, without a word; one that crashes says nothing of its own. */
export function endContinue(context: ParseContext, exit: { code: number | null }): EventBody[] {
  if (context.adapterState.failed) return [{ type: 'turn_end', status: 'failed' }];
  return exit.code === 0 ? [{ type: 'turn_end', status: 'completed' }] : [];
}
