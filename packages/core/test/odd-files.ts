import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, mkdirSync, openSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, relative } from 'node:path';

export const ODD_FILES = {
  'a named pipe': (path: string) => void execFileSync('mkfifo', [path]),
  'a device': (path: string) => symlinkSync('/dev/zero', path),
  'a folder': (path: string) => mkdirSync(path),
  'a socket': async (path: string) => {
    // The length of a socket's path is limited; the relative path is shorter.
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(relative(process.cwd(), path), resolve));
    // Closing it would remove its file.
    server.unref();
  },
} satisfies Record<string, (path: string) => void | Promise<void>>;

/** A file of this size that takes no space on the disk. */
export function createSparse(path: string, bytes: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, 'w');
  ftruncateSync(file, bytes);
  closeSync(file);
}
