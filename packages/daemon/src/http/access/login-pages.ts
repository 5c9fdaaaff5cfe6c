import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeId } from './secrets.ts';

/**
 * Pages on disk, readable for their owner alone, that lead a browser to a login link. Arguments of a process are visible to every
 * user of the machine, so the program that opens a browser gets the path of such a page and not the link itself.
 */
export interface LoginPages {
  /** The path. It is gone when `removeFor` is called with the same link, or after its time. */
  write(url: string): Promise<string>;
  removeFor(url: string): Promise<void>;
}

export function createLoginPages(folder: string, lifeMs: number): LoginPages {
  const files = new Map<string, { path: string; timer: NodeJS.Timeout }>();
  const removeFor = async (url: string) => {
    const file = files.get(url);
    if (!file) return;
    files.delete(url);
    clearTimeout(file.timer);
    await rm(file.path, { force: true });
  };
  // What an earlier daemon left: its codes ended with it.
  const cleared = rm(folder, { recursive: true, force: true }).catch(() => undefined);
  return {
    async write(url) {
      await cleared;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${makeId()}.html`);
      await writeFile(path, pageOf(url), { mode: 0o600, flag: 'wx' });
      const timer = setTimeout(() => void removeFor(url).catch(() => undefined), lifeMs);
      timer.unref();
      files.set(url, { path, timer });
      return path;
    },
    removeFor,
  };
}

/** The link has letters, digits and marks that need no escaping. */
function pageOf(url: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${url}">
<title>agent-mux</title>
<p><a href="${url}">Open the dashboard</a></p>
</html>
`;
}
