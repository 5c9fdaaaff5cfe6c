import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** In the temporary folder, which is everybody's: nobody can know the name beforehand. */
export function nameScratchFolder(): string {
  return join(tmpdir(), `agent-mux-${randomBytes(16).toString('hex')}`);
}
