/**
 * `npm run docs`: writes docs/agents.md and the table of agents in README.md from the adapters' declarations and the last
 * proof, and docs/reference and docs/json from the types. `-- --check` writes nothing and fails when they have drifted, or when an adapter names another proven version.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AGENTS_WITHOUT_HEADLESS_CLI, builtInAdapters } from '@agent-mux/adapters';
import { agentProofs } from '@agent-mux/testkit';
import { readProofs } from './agents/record.ts';
import { agentsPage, overview } from './docs/agents-page.ts';
import { referencePages, staleFiles } from './docs/reference-pages.ts';

const root = join(import.meta.dirname, '..');
const PAGE = 'docs/agents.md';
const README = 'README.md';
const TABLE = /(<!-- agents:start -->\n)[\s\S]*?(<!-- agents:end -->)/;

const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
const adapters = builtInAdapters();
const proofs = readProofs();
const problems = versionProblems();
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

function bring(name: string, text: string): void {
  if (read(name) === text) return;
  if (values.check) problems.push(`${name} has drifted from the code: run "npm run docs"`);
  else {
    writeFileSync(join(root, name), text);
    console.log(`wrote ${name}`);
  }
}

/** An adapter names the version that is on record, and claims none that is not. */
function versionProblems(): string[] {
  return adapters.flatMap(({ agent, provenVersions = [] }) => {
    const version = proofs.agents[agent]?.version;
    const claimed = provenVersions.join(', ') || 'nothing';
    if (version === undefined ? provenVersions.length === 0 : provenVersions.includes(version)) return [];
    return [`${agent}: proven with ${version ?? 'nothing'}, but its adapter says ${claimed}`];
  });
}

function read(name: string): string {
  const path = join(root, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
