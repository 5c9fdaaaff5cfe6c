import { realpath, rm } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { Session } from '@agent-mux/api';
import type { Store } from '../store/store.ts';

const PAGE = 500;

/**
 * The scratch folder that contains a path, or null. Resolves links in both paths, so that a link in place of a scratch
 * folder is left alone.
 */
export async function findScratch(root: string, path: string): Promise<string | null> {
  try {
    const realRoot = await realpath(root);
    const below = relative(realRoot, await realpath(path));
    const [name = ''] = below.split(sep);
    return !isAbsolute(below) && /^[a-z0-9]+$/.test(name) ? join(realRoot, name) : null;
  } catch {
    return null;
  }
}

/** Deletes a scratch folder with the last session that used it. Call it after that session was deleted. */
export async function dropScratch(
  store: Pick<Store, 'listSessions'>,
  root: string,
  { cwd }: Pick<Session, 'cwd'>,
): Promise<void> {
  const folder = await findScratch(root, cwd);
  if (folder === null || (await isUsed(store, root, folder))) return;
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}

async function isUsed(store: Pick<Store, 'listSessions'>, root: string, folder: string): Promise<boolean> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await store.listSessions({ limit: PAGE, ...(cursor ? { cursor } : {}) });
    for (const { cwd, workspace } of page.rows)
      for (const path of workspace.kind === 'worktree' ? [cwd, workspace.repository] : [cwd])
        if ((await findScratch(root, path)) === folder) return true;
    cursor = page.nextCursor;
  }
  return false;
}
