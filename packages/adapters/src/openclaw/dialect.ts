import type { AcpDialect } from '../acp/dialect.ts';
import { type Json, record, text, word } from '../shared/json.ts';
import { readOpenClawError } from './errors.ts';
import { sessionKeyOf } from './launch.ts';

/** `openclaw acp` 2026.9.6. */
export const OPENCLAW_ACP: AcpDialect = {
  madeSession: sessionKeyOf,
  // They are set by the launch, in words that its ACP does not have.
  modesArePermissions: false,
  // `exec: command: echo hi`.
  toolName: (update: Json) =>
    word(record(update._meta).toolName) ?? /^([\w-]+)(?::|$)/.exec(text(update.title) ?? '')?.[1],
  // The status is `completed`.
  toolFailed: (output) => /\(Command exited with code [1-9]\d*\)\s*$/.test(output),
  // Whatever goes wrong with the model is told in the log of the gateway alone.
  wordlessTurnFailed: true,
  readError: (message) => [readOpenClawError(message)],
};
