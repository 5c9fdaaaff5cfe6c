import type { ResolvedRunOptions } from '@agent-mux/core';
import { promptText } from '../claude/prompt.ts';

/** A single argument may have 128 KiB on Linux. */
const MAX_ARGUMENT_BYTES = 100_000;

export interface ClinePrompt {
  argument: string;
  /** To be read from stdin, which is put after the argument and an empty line. */
  rest?: string;
}

/**
 * `cline --json` 3.0.65 wants an argument. What its stdin holds is added to it, but only a file or a FIFO is read there,
 * and a pipe of node is neither: what is too long for an argument goes through a file.
 */
export function clinePrompt({ prompt: text, attachments }: ResolvedRunOptions): ClinePrompt {
  // It reads `@path` as Claude Code does.
  const prompt = promptText({ text, attachments });
  if (Buffer.byteLength(prompt) > MAX_ARGUMENT_BYTES) return { argument: ' ', rest: prompt };
  // A single word counts as a command that is not known.
  const spaced = /\s/.test(prompt) ? prompt : `${prompt}\n`;
  // `--config=` is looked for in every argument, even after `--`.
  return { argument: spaced.startsWith('-') ? ` ${spaced}` : spaced };
}
