import { type AgentMode, LIMITATIONS, type Limitation } from '@agent-mux/core';
import { type AgentQuirks, type AgentSetup, quirksOf } from './agent-setup.ts';

/** Quirks that a case adapts to without asserting less. */
type Adapted = 'silentStartMs' | 'maxPromptChars' | 'longPromptFile';

/** Switches an assertion off: a known quirk, or a limitation that the mode declares and a run warns of. */
export type Exception = Exclude<keyof AgentQuirks, Adapted> | Limitation;

/** Where a mode of an agent differs from others. */
export interface Differences {
  quirks: AgentQuirks;
  limitations?: readonly Limitation[];
}

/** Assertions that hold for other CLIs and are skipped with this exception. */
const NOT_ASSERTED: Readonly<Record<Exception, string>> = {
  rateLimit: 'a rate limit is reported as an event',
  serverError: 'an error of the model is reported as an event',
  failureUnexplained: 'a failed turn reports why',
  mergesText: 'a long answer arrives in many pieces',
  hidesWordsBeforeTools: 'text before a tool call reaches the caller',
  reasonHidden: 'the model gets the reason of a denial',
  trimsThoughts: 'thoughts keep their whitespace',
  repeatsAfterDrop: 'no text is doubled after a broken connection',
  hooksWithoutPrompt: 'hooks report the prompt',
  keepsDetached: 'abort ends processes that a tool has detached',
  composesUnicode: 'the prompt keeps its code points',
  'tool-output-hidden': "a tool's output reaches the caller",
  'tool-failure-hidden': 'a failed command is reported as failed',
  'interrupted-turn-forgotten': 'the next request contains the interrupted turn',
};

export function isSwitchedOff({ quirks, limitations = [] }: Differences, exception: Exception): boolean {
  if (isLimitation(exception)) return limitations.includes(exception);
  const value = quirks[exception];
  return value === true || value === 'silent';
}

/** The assertions of a case that are switched off for this mode. */
export function notAssertedIn({ unasserted = [] }: { unasserted?: readonly Exception[] }, mode: Differences): string[] {
  return unasserted.filter((exception) => isSwitchedOff(mode, exception)).map((exception) => NOT_ASSERTED[exception]);
}

export function differencesOf(setup: AgentSetup | undefined, { name, limitations = [] }: AgentMode): Differences {
  return { quirks: setup ? quirksOf(setup, name) : {}, limitations };
}

export const EXCEPTIONS = Object.keys(NOT_ASSERTED) as Exception[];

function isLimitation(exception: Exception): exception is Limitation {
  return exception in LIMITATIONS;
}
