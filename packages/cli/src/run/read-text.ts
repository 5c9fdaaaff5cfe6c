import { readFileSync } from 'node:fs';
import { messageOf, readRegularFileSync } from '@agent-mux/core/light';
import { UsageError } from '../usage-error.ts';

/** Maximum size in bytes of a prompt or of JSON read from a file or stdin. */
export const TEXT_LIMIT = 16 * 1024 * 1024;

/** A pipe passed as a file, such as `<(command)`, is read to its end. */
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

/** Rejects binary input: agents cannot receive NUL in their arguments. */
export function assertText(name: string, bytes: Buffer): void {
  const at = bytes.indexOf(0);
  if (at === -1) return;
  throw new UsageError(`${name}: binary input (NUL at byte ${at + 1})`, 'use --attach to send a file or image');
}
