import { join } from 'node:path';
import type { ResolvedRunOptions } from '@agent-mux/core';

/** A single argument may have 128 KiB on Linux; longer texts go through a file, which these options read too. */
const MAX_ARGUMENT_BYTES = 100_000;

export function systemPrompt(options: ResolvedRunOptions, files: Record<string, string>): string[] {
  const text = options.systemPrompt;
  if (!text) return [];
  const name = options.systemPromptMode === 'replace' ? '--system-prompt' : '--append-system-prompt';
  if (Buffer.byteLength(text) <= MAX_ARGUMENT_BYTES) return [name, text];
  files['system-prompt.md'] = text;
  return [name, join(options.scratchDir, 'system-prompt.md')];
}

export function flag(name: string, value: string | undefined): string[] {
  return value ? [name, value] : [];
}
