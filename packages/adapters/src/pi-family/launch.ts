import { join } from 'node:path';
import { flagApart, type ResolvedRunOptions, wholeUuid } from '@agent-mux/core';

/** Always in a file: a text that happens to be a path would be read from there. */
export function systemPrompt(options: ResolvedRunOptions, files: Record<string, string>): string[] {
  const text = options.systemPrompt;
  if (!text) return [];
  const name = options.systemPromptMode === 'replace' ? '--system-prompt' : '--append-system-prompt';
  files['system-prompt.md'] = text;
  return [name, join(options.scratchDir, 'system-prompt.md')];
}

/** These accept a path and the prefix of an id instead of an id. */
export function session(resume: string, { noSession, sessionId, forkSessionId }: ResolvedRunOptions): string[] {
  if (noSession) return ['--no-session'];
  if (forkSessionId) return flagApart('--fork', 'forkSessionId', wholeUuid('forkSessionId', forkSessionId));
  return flagApart(resume, 'sessionId', wholeUuid('sessionId', sessionId));
}
