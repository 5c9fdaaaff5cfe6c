import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of so many kilobytes, where this process may mount one: root on Linux. */
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
