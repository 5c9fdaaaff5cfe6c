import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateId } from './secrets.ts';

/**
 * Files, readable by their owner only, that redirect a browser to a login link. Process arguments are visible to every
 * user of the machine, so the program that opens a browser gets the path of such a file instead of the link.
 */
export interface LoginPages {
  /** Returns the path. The file is removed by `removeFor` with the same link, or when the link expires. */
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
  // Pages of an earlier daemon, whose codes are invalid.
  const cleared = rm(folder, { recursive: true, force: true }).catch(() => undefined);
  return {
    async write(url) {
      await cleared;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `${generateId()}.html`);
      await writeFile(path, pageOf(url), { mode: 0o600, flag: 'wx' });
      const timer = setTimeout(() => void removeFor(url).catch(() => undefined), lifeMs);
      timer.unref();
      files.set(url, { path, timer });
      return path;
    },
    removeFor,
  };
}

/** The link contains only characters that need no escaping. */
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
