import type { AcpDialect } from '../acp/dialect.ts';
import { type Json, record, text, word } from '../shared/json.ts';
import { readOpenClawError } from './errors.ts';
import { sessionKeyOf } from './launch.ts';

/** `openclaw acp` 2026.9.6. */
export const OPENCLAW_ACP: AcpDialect = {
  madeSession: sessionKeyOf,
  // Set by the launch, with values that its ACP does not have.
  modesArePermissions: false,
  // `exec: command: echo hi`.
  toolName: (update: Json) =>
    word(record(update._meta).toolName) ?? /^([\w-]+)(?::|$)/.exec(text(update.title) ?? '')?.[1],
  // The status is `completed`.
  toolFailed: (output) => /\(Command exited with code [1-9]\d*\)\s*$/.test(output),
  // Model failures are reported only in the log of the gateway.
  wordlessTurnFailed: true,
  readError: (message) => [readOpenClawError(message)],
};
