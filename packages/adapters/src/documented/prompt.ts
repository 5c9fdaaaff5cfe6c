import { join } from 'node:path';
import { type Launch, type ResolvedRunOptions, ValidationError } from '@agent-mux/core';

/** A single argument may have 128 KiB on Linux. */
const MAX_PROMPT_BYTES = 100_000;
const PROMPT_FILE = 'prompt.md';

/** `--flag=prompt`, so that no prompt is taken for an option; for CLIs that take it in no other way. */
export function promptArgument(flag: string, options: ResolvedRunOptions): string {
  if (Buffer.byteLength(options.prompt) <= MAX_PROMPT_BYTES) return `${flag}=${options.prompt}`;
  const problem = `is too long for an argument, and ${options.agent} takes no other`;
  throw new ValidationError('run options', [{ field: 'prompt', problem }], {
    agent: options.agent,
    hint: `shorten it to ${MAX_PROMPT_BYTES} bytes, or put the rest into a file that it names`,
  });
}

/** `--flag FILE`, for CLIs that read their prompt from a file. */
export function promptFile(flag: string, options: ResolvedRunOptions): Required<Pick<Launch, 'args' | 'files'>> {
  return { args: [flag, join(options.scratchDir, PROMPT_FILE)], files: { [PROMPT_FILE]: options.prompt } };
}
