import { readFileSync } from 'node:fs';
import { messageOf, readRegularFileSync } from '@agent-mux/core/light';
import { UsageError } from '../usage-error.ts';

/** A prompt, or the JSON of a flag, is not read from a file or from stdin above this size, in bytes. */
export const TEXT_LIMIT = 16 * 1024 * 1024;

/** What the shell hands over as a file, such as `<(command)`: whoever wrote the command waits for it. */
const SHELL_PIPE = /^\/dev\/(?:fd\/\d+|stdin)$/;

export function readText(name: string, path: string): string {
  try {
    const bytes = SHELL_PIPE.test(path) ? readFileSync(path) : readRegularFileSync(path, { limit: TEXT_LIMIT });
    assertText(name, bytes);
    return bytes.toString('utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const reason = messageOf(error);
    throw new UsageError(`${name}: ${reason.includes(path) ? reason : `${path}: ${reason}`}`);
  }
}

/** A picture or an archive is no prompt; no command line of an agent can carry its zeros either. */
export function assertText(name: string, bytes: Buffer): void {
  const at = bytes.indexOf(0);
  if (at === -1) return;
  throw new UsageError(`${name}: this is no text (byte ${at + 1} is zero)`, '--attach sends a file or an image along');
}
