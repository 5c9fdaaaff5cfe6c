import type { EventBody, ParseContext } from '@agent-mux/core';
import { parseRecord, word } from '../shared/json.ts';
import { readContinueFailure } from './errors.ts';

/** Stdout is the answer and a newline, stderr `{"status":"error","message":...}` when it fails. */
export function parseContinueLine(line: string, context: ParseContext): EventBody[] | null {
  const state = context.adapterState;
  if (context.source === 'stderr') {
    const report = parseRecord(line);
    const message = report?.status === 'error' ? word(report.message) : undefined;
    if (message === undefined) return null;
    state.failed = true;
    return [readContinueFailure(message)];
  }
  const delta = state.spoken ? `\n${line}` : line;
  state.spoken = true;
  return [{ type: 'text_delta', delta }];
}

/** A terminated process exits with 0 as well, silently; a crash prints no specific message. */
export function endContinue(context: ParseContext, exit: { code: number | null }): EventBody[] {
  if (context.adapterState.failed) return [{ type: 'turn_end', status: 'failed' }];
  return exit.code === 0 ? [{ type: 'turn_end', status: 'completed' }] : [];
}
