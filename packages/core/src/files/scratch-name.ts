import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'agent-mux-';

/** The temporary folder is shared, so the name must be unpredictable. */
export function nameScratchFolder(): string {
  return join(tmpdir(), `${PREFIX}${randomBytes(16).toString('hex')}`);
}

/** Whether a path is in the scratch folder of a run, by its name. */
export function isInScratch(path: string): boolean {
  return path
    .split(/[\\/]/)
    .some((name) => name.startsWith(PREFIX) && /^[0-9a-f]{32}$/.test(name.slice(PREFIX.length)));
}
