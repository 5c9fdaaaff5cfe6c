/** Builds the dashboard, where any of its sources has changed since the last time. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const WEB = join(ROOT, 'packages/web');
const STAMP = join(ROOT, 'node_modules/.cache/agent-mux-bundle/web');

const inputs = digestInputs();
if (!existsSync(join(WEB, 'dist/index.html')) || !existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== inputs) {
  const { build } = await import('vite');
  await build({ configFile: join(WEB, 'vite.config.ts'), logLevel: 'warn', configLoader: 'native' });
  mkdirSync(dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, inputs);
}

/** Inputs of the dashboard: its sources, and the routes and types of the api package. */
function digestInputs(): string {
  const sources = globSync(['packages/web/{src,public}/**/*.*', 'packages/api/src/**/*.ts'], { cwd: ROOT });
  const own = ['packages/web/index.html', 'packages/web/vite.config.ts', 'package-lock.json', 'scripts/build-web.ts'];
  const files = [...sources.filter((file) => !file.endsWith('.test.ts')).sort(), ...own];
  const hash = createHash('sha256');
  for (const file of files) hash.update(file).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
}
