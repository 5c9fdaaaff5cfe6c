/** `npm run pack -- DIR`: the packages as they are published, as tarballs that `npm install -g DIR/*.tgz` installs. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
/** What the command needs, each after what it depends on. */
const PACKAGES = ['core', 'adapters', 'testkit', 'api', 'web', 'daemon', 'cli', 'agent-mux'];
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** The paths of the tarballs. */
export function packPackages(folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  for (const name of PACKAGES) {
    const args = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
    const { status, stderr } = spawnSync(NPM, args, { cwd: join(ROOT, 'packages', name), encoding: 'utf8' });
    if (status !== 0) throw new Error(`npm pack failed in packages/${name}: ${stderr}`);
  }
  return readdirSync(folder)
    .filter((file) => file.endsWith('.tgz'))
    .map((file) => join(folder, file));
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? 'packed');
  packPackages(folder);
  console.log(`run "npm install -g ${folder}/*.tgz" to install the amux command`);
}
