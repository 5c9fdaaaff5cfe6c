import type { EventBody } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { decodeFailure } from '../acp/failure.ts';
import { readClineError } from '../cline/errors.ts';
import { readCodexFailure } from '../codex/errors.ts';
import { readContinueFailure } from '../continue/errors.ts';
import { readCopilotError } from '../copilot/errors.ts';
import { readDroidFailure } from '../droid/errors.ts';
import { readGeminiError } from '../gemini/errors.ts';
import { readGooseError } from '../goose/errors.ts';
import { readGrokFailure } from '../grok/errors.ts';
import { readOpenClawError } from '../openclaw/errors.ts';
import { familyFailureEvents } from '../opencode-family/errors.ts';
import { readFailure } from '../pi-family/failure.ts';
import { providerFailures } from '../pi-family/provider-failures.ts';
import { FAILURES as QWEN } from '../qwen/errors.ts';
import { nameFailure } from './failures.ts';

const READERS: Record<string, (message: string) => EventBody | undefined> = {
  acp: (message) => decodeFailure({ code: null, message, data: undefined })[0],
  cline: readClineError,
  codex: (message) => readCodexFailure({ text: message }),
  continue: readContinueFailure,
  copilot: (message) => readCopilotError(message, null),
  droid: (message) => readDroidFailure(message),
  gemini: (message) => readGeminiError(message, null)[0],
  goose: readGooseError,
  grok: readGrokFailure,
  openclaw: readOpenClawError,
  opencode: (message) => familyFailureEvents({ name: 'APIError', message }, 0),
  pi: (message) => nameFailure(readFailure(message), providerFailures('')),
  qwen: (text) => nameFailure({ text }, QWEN),
};

const LIMITS = [
  'You have exhausted your capacity on this model. Your quota will reset after 2h3m4s.',
  'You have exhausted your capacity on this model.',
  'You have exhausted your daily quota on this model.',
  'Resource has been exhausted (e.g. check quota).',
  'No capacity available for model gemini-3-flash-preview on the server',
  '429 RESOURCE_EXHAUSTED',
  'MODEL_CAPACITY_EXHAUSTED',
  "You've hit your usage limit. Try again in 5 days 22 hours 11 minutes.",
  "Sorry, you've exceeded your 5 hour session limits. Please retry after 2733 seconds.",
  'Rate limit reached for requests. Please try again in 30s.',
  'Too many requests',
  'Too many tokens, please wait before trying again.',
  'Request was throttled.',
];

describe.each(Object.entries(READERS))('limit recognized by %s', (_, read) => {
  it.each(LIMITS)('matches: %s', (message) => {
    expect(read(message)).toMatchObject({ type: 'rate_limit_error' });
  });
  it('does not match other failures', () => {
    for (const other of ['500 internal error', 'the model does not exist', 'maximum context length exceeded'])
      expect(read(other)?.type).not.toBe('rate_limit_error');
  });
});
