import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A command that prints a version and records each start; the result counts them. */
export async function installCounting(bin: string, name: string, version = '1.2.3'): Promise<() => Promise<number>> {
  const starts = join(bin, `${name}.starts`);
  await writeFile(starts, '');
  await writeFile(join(bin, name), `#!/bin/sh\necho x >> ${starts}\necho "${name} ${version}"\n`);
  await chmod(join(bin, name), 0o755);
  return async () => (await readFile(starts, 'utf8')).length / 2;
}
