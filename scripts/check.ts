/**
 * `npm run check`: types, lint and format, dead code and unused dependencies, layers and sizes, the lock file, the published
 * packages, generated docs. All checks run; the exit code is 0 if all pass.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLockFaults } from './check-lock.ts';
import { checkPackages } from './check-packages.ts';
import { findLayerViolations } from './structure/layers.ts';
import { findSizeViolations } from './structure/sizes.ts';
import { readSources } from './structure/sources.ts';
import { checkWords } from './words/check-words.ts';

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
  { name: 'layers', run: () => joinIssues(findLayerViolations(readSources(root))) },
  { name: 'file and folder sizes', run: () => joinIssues(findSizeViolations(readSources(root))) },
  { name: 'removed words', run: () => joinIssues(checkWords()) },
  { name: 'lock file', run: checkLockFile },
  { name: 'published packages', run: () => checkPackages((note) => console.log(note)) },
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

function joinIssues(issues: readonly string[]): string | undefined {
  return issues.length > 0 ? issues.join('\n') : undefined;
}

function checkLockFile(): string | undefined {
  const read = (name: string) => readFileSync(join(root, name), 'utf8');
  const pending: string[] = JSON.parse(read('scripts/lock-without-integrity.json'));
  return joinIssues(findLockFaults(read('package-lock.json'), pending));
}
