/** `npm run check`: types, lint and format, dead code and unused dependencies, the rooms of the house, the lock file, the packages as they are published, generated docs. All are run; the exit code tells whether all are well. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLockFaults } from './check-lock.ts';
import { checkPackages } from './check-packages.ts';
import { findRoomFaults } from './house/rooms.ts';
import { findSizeFaults } from './house/sizes.ts';
import { readSources } from './house/sources.ts';

const root = join(import.meta.dirname, '..');
const node = process.execPath;

const checks: { name: string; run: () => string | undefined }[] = [
  { name: 'types', run: () => runTool('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json') },
  {
    name: 'types of the dashboard',
    run: () => runTool('node_modules/typescript/bin/tsc', '-p', 'packages/web/tsconfig.json'),
  },
  {
    name: 'lint and format',
    run: () => runTool('node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'),
  },
  { name: 'dead code and dependencies', run: () => runTool('node_modules/knip/bin/knip.js') },
  { name: 'rooms: who imports whom', run: () => joinFaults(findRoomFaults(readSources(root))) },
  { name: 'rooms: how much they hold', run: () => joinFaults(findSizeFaults(readSources(root))) },
  { name: 'lock file', run: checkLockFile },
  { name: 'packages as they are published', run: () => checkPackages((note) => console.log(note)) },
  { name: 'generated docs', run: () => runTool('scripts/docs.ts', '--check') },
];

let failed = 0;
for (const { name, run } of checks) {
  const problem = run();
  console.log(`${problem === undefined ? 'ok  ' : 'FAIL'} ${name}`);
  if (problem === undefined) continue;
  failed += 1;
  console.log(problem.replace(/^/gm, '     '));
}
process.exit(failed === 0 ? 0 : 1);

function runTool(...args: string[]): string | undefined {
  if (!existsSync(join(root, args[0]!))) return `${args[0]} is missing`;
  const flags = args[0]!.endsWith('.ts') ? ['--conditions=agent-mux-source'] : [];
  const { status, stdout, stderr } = spawnSync(node, [...flags, ...args], { cwd: root, encoding: 'utf8' });
  return status === 0 ? undefined : `${stdout}${stderr}`.trim() || `exit code ${status}`;
}

function joinFaults(faults: readonly string[]): string | undefined {
  return faults.length > 0 ? faults.join('\n') : undefined;
}

function checkLockFile(): string | undefined {
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  const pending: string[] = JSON.parse(read('scripts/lock-without-integrity.json'));
  return joinFaults(findLockFaults(read('package-lock.json'), pending));
}
