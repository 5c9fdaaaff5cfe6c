import { join } from 'node:path';
import { type LaunchArgs, type ResolvedRunOptions, ValidationError } from '@agent-mux/core';

/** A single argument may have 128 KiB on Linux. */
const MAX_PROMPT_BYTES = 100_000;
const PROMPT_FILE = 'prompt.md';

/** `--flag=prompt`, so that no prompt is taken for an option; for CLIs without another way. */
export function promptArgument(flag: string, options: ResolvedRunOptions): string {
  if (Buffer.byteLength(options.prompt) <= MAX_PROMPT_BYTES) return `${flag}=${options.prompt}`;
  const problem = `is too long for an argument, the only way to pass it to ${options.agent}`;
  throw new ValidationError('run options', [{ field: 'prompt', problem }], {
    agent: options.agent,
    hint: `shorten it to ${MAX_PROMPT_BYTES} bytes, or move the rest into a file and mention it`,
  });
}

/** `--flag FILE`, for CLIs that read their prompt from a file. */
export function promptFile(flag: string, options: ResolvedRunOptions): Required<Pick<LaunchArgs, 'args' | 'files'>> {
  return { args: [flag, join(options.scratchDir, PROMPT_FILE)], files: { [PROMPT_FILE]: options.prompt } };
}
