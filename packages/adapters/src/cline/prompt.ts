import type { ResolvedRunOptions } from '@agent-mux/core';
import { promptText } from '../claude/prompt.ts';

/** A single argument may have 128 KiB on Linux. */
const MAX_ARGUMENT_BYTES = 100_000;

export interface ClinePrompt {
  argument: string;
  /** Read from stdin, which the CLI appends to the argument after an empty line. */
  rest?: string;
}

/**
 * `cline --json` 3.0.65 needs an argument. It appends its stdin, but reads only a file or a FIFO there, and a pipe of
 * node is neither: a prompt that is too long for an argument goes through a file.
 */
export function clinePrompt({ prompt: text, attachments }: ResolvedRunOptions): ClinePrompt {
  // It reads `@path` as Claude Code does.
  const prompt = promptText({ text, attachments });
  if (Buffer.byteLength(prompt) > MAX_ARGUMENT_BYTES) return { argument: ' ', rest: prompt };
  // A single word counts as an unknown command.
  const spaced = /\s/.test(prompt) ? prompt : `${prompt}\n`;
  // It looks for `--config=` in every argument, even after `--`.
  return { argument: spaced.startsWith('-') ? ` ${spaced}` : spaced };
}
