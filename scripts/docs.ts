/**
 * `npm run docs`: writes docs/agents.md and the table of agents in README.md from the adapters' declarations and the last
 * proof, the releases that adapters name from the proof alone, and docs/reference and docs/json from the types.
 * `-- --check` writes nothing and fails when they have drifted, or when an adapter names other releases than those with evidence.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AGENTS_WITHOUT_HEADLESS_CLI, builtInAdapters } from '@agent-mux/adapters';
import { agentProofs } from '@agent-mux/testkit';
import { provenReleases, readProofs } from './agents/record.ts';
import { agentsPage, overview } from './docs/agents-page.ts';
import { referencePages, staleFiles } from './docs/reference-pages.ts';
import { releasesModule } from './docs/releases-module.ts';

const root = join(import.meta.dirname, '..');
const PAGE = 'docs/agents.md';
const README = 'README.md';
const RELEASES = 'packages/adapters/src/proven-releases.ts';
const TABLE = /(<!-- agents:start -->\n)[\s\S]*?(<!-- agents:end -->)/;

const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
const adapters = builtInAdapters();
const proofs = readProofs();
const problems: string[] = [];
// Adapters that were loaded with another module say what that said.
if (bring(RELEASES, releasesModule(proofs))) problems.push(...versionProblems());
bring(PAGE, agentsPage(adapters, proofs, AGENTS_WITHOUT_HEADLESS_CLI));
const readme = read(README);
if (TABLE.test(readme)) {
  const proven = adapters.filter(({ agent }) => agentProofs[agent]);
  bring(
    README,
    readme.replace(TABLE, (_, start, end) => `${start}${overview(proven, proofs).join('\n')}\n${end}`),
  );
}
const pages = referencePages();
for (const [name, text] of pages) bring(name, text);
problems.push(...staleFiles(pages));
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);

/** Whether it was so already. */
function bring(name: string, text: string): boolean {
  if (read(name) === text) return true;
  if (values.check) problems.push(`${name} has drifted from the code: run "npm run docs"`);
  else {
    writeFileSync(join(root, name), text);
    console.log(`wrote ${name}`);
  }
  return false;
}

/** An adapter names the releases with evidence, the oldest as the least that it needs, and claims none that has none. */
function versionProblems(): string[] {
  return adapters.flatMap(({ agent, provenVersions = [], minVersion, needsNoInstall }) => {
    const proven = provenReleases(proofs, agent);
    const claim = (versions: readonly string[], least: string | undefined) =>
      versions.length > 0 ? `${versions.join(', ')}, at least ${least}` : 'nothing';
    const [shown, claimed] = [claim(proven, needsNoInstall ? undefined : proven[0]), claim(provenVersions, minVersion)];
    return shown === claimed ? [] : [`${agent}: proven with ${shown}, but its adapter says ${claimed}`];
  });
}

function read(name: string): string {
  const path = join(root, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
