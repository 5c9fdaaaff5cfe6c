import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of this many kilobytes, if this process may mount one: root on Linux. */
export function mountSmallDisk(kilobytes: number): { folder: string; isMounted: boolean; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'));
  const options = `size=${kilobytes}k,mode=0700`;
  const isMounted =
    process.platform === 'linux' &&
    process.getuid?.() === 0 &&
    spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status === 0;
  return {
    folder,
    isMounted,
    remove: () => {
      if (isMounted) spawnSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The same at a given path. Throws if it cannot be mounted. Returns a function that unmounts it. */
export function mountDiskAt(folder: string, kilobytes: number, flags = ''): () => void {
  mkdirSync(folder, { recursive: true });
  const options = `size=${kilobytes}k,mode=0700${flags}`;
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`a disk could not be mounted: ${stderr}`);
  return () => void spawnSync('umount', ['-l', folder]);
}

/** Writes a file in ever smaller pieces, until nothing fits any more. */
export function fillDisk(path: string): void {
  for (let size = 1 << 20; size >= 1; size = Math.floor(size / 2))
    for (;;)
      try {
        writeFileSync(path, Buffer.alloc(size), { flag: 'a' });
      } catch {
        break;
      }
}
