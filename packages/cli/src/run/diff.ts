import type { ChangedLine } from '@agent-mux/core';
import { changeOf, isRecord } from '@agent-mux/core/light';

/** So much of a change is shown; the rest is counted. */
export const SHOWN_DIFF_LINES = 12;

/** The lines that a tool's input changes; empty where it changes none. */
export function diffOfInput(input: unknown): ChangedLine[] {
  if (!isRecord(input)) return [];
  if (Array.isArray(input.edits)) return input.edits.flatMap(diffOfInput);
  return (changeOf(input)?.lines ?? []).filter(({ sign }) => sign !== ' ');
}

/** The changed lines of a unified diff. */
export function diffOfPatch(patch: string): ChangedLine[] {
  return diffOfInput({ patch });
}
