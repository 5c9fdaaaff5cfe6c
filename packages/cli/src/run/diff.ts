import type { ChangedLine } from '@agent-mux/core';
import { changeOf, isRecord } from '@agent-mux/core/light';

/** Maximum number of changed lines shown; the rest is counted. */
export const SHOWN_DIFF_LINES = 12;

/** Lines changed by a tool's input; empty if it changes no file. */
export function diffOfInput(input: unknown): ChangedLine[] {
  if (!isRecord(input)) return [];
  if (Array.isArray(input.edits)) return input.edits.flatMap(diffOfInput);
  return (changeOf(input)?.lines ?? []).filter(({ sign }) => sign !== ' ');
}

/** The changed lines of a unified diff. */
export function diffOfPatch(patch: string): ChangedLine[] {
  return diffOfInput({ patch });
}
