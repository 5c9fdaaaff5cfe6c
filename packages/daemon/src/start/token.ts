import { lstatSync } from 'node:fs';
import { AgentMuxError, isRecord, readRegularFileSync } from '@agent-mux/core/light';
import type { DaemonPaths } from '../paths.ts';

const TOKEN_LIMIT = 4096;
/** Permissions of group and others. */
const SHARED_BITS = 0o077;

/** The daemon's token. Null if there is none yet. Throws if another user could have read or created it. */
export async function readToken({ token: path }: DaemonPaths): Promise<string | null> {
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
  throw new AgentMuxError('CONFIG_ERROR', `refusing to use ${path}: it ${what}`, {
    hint: 'remove it, then run "amux down" and "amux up" to create a new one',
  });
}
