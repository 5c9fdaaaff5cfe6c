import { lstatSync } from 'node:fs';
import { AgentMuxError, isRecord, readRegularFileSync } from '@agent-mux/core/light';
import type { Places } from '../places.ts';

const TOKEN_LIMIT = 4096;
/** Anything for the group or for others. */
const SHARED_BITS = 0o077;

/** What opens the daemon. Null: there is none yet. Throws where somebody else could have read or made it. */
export async function readToken({ token: path }: Places): Promise<string | null> {
  try {
    if (process.platform !== 'win32') assertOwn(path);
    return readRegularFileSync(path, { limit: TOKEN_LIMIT, followLinks: false }).toString('utf8').trim();
  } catch (error) {
    if (isRecord(error) && error.code === 'ENOENT') return null;
    throw error;
  }
}

function assertOwn(path: string): void {
  const { mode, uid } = lstatSync(path);
  const [own, shared] = [process.getuid?.(), mode & SHARED_BITS];
  if (shared === 0 && (own === undefined || uid === own)) return;
  const what = shared === 0 ? `belongs to user ${uid}` : `can be read by others (mode ${(mode & 0o777).toString(8)})`;
  throw new AgentMuxError('CONFIG_ERROR', `${path} ${what}: it is not used`, {
    hint: 'remove it and restart the daemon, which makes a new one: "amux down", "amux up"',
  });
}
