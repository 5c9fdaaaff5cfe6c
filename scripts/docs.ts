/**
 * `npm run docs`: writes docs/agents.md and the table of agents in README.md from the adapters' declarations and
 * docs/verifications.json, the verified releases from that record, and docs/reference and docs/json from the types.
 * `-- --check` writes nothing and fails if a file is out of date, or if an adapter names releases that are not verified.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AGENTS_WITHOUT_HEADLESS_CLI, builtInAdapters } from '@agent-mux/adapters';
import { agentSetups } from '@agent-mux/testkit';
import { readVerifications, verifiedReleases } from './agents/record.ts';
import { agentsPage, readmeTable } from './docs/agents-page.ts';
import { referencePages, staleFiles } from './docs/reference-pages.ts';
import { releasesModule } from './docs/releases-module.ts';

const root = join(import.meta.dirname, '..');
const PAGE = 'docs/agents.md';
const README = 'README.md';
const RELEASES = 'packages/adapters/src/verified-releases.ts';
const TABLE = /(<!-- agents:start -->\n)[\s\S]*?(<!-- agents:end -->)/;

const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
const adapters = builtInAdapters();
const record = readVerifications();
const problems: string[] = [];
// Adapters were loaded with the old module, so their versions are checked only if it is up to date.
if (update(RELEASES, releasesModule(record))) problems.push(...versionProblems());
update(PAGE, agentsPage(adapters, record, AGENTS_WITHOUT_HEADLESS_CLI));
const readme = read(README);
if (TABLE.test(readme)) {
  const verified = adapters.filter(({ agent }) => agentSetups[agent]);
  update(
    README,
    readme.replace(TABLE, (_, start, end) => `${start}${readmeTable(verified, record).join('\n')}\n${end}`),
  );
}
const pages = referencePages();
for (const [name, text] of pages) update(name, text);
problems.push(...staleFiles(pages));
for (const problem of problems) console.error(problem);
process.exit(problems.length === 0 ? 0 : 1);

/** Writes or checks a file; returns whether it was up to date. */
function update(name: string, text: string): boolean {
  if (read(name) === text) return true;
  if (values.check) problems.push(`${name} is out of date: run "npm run docs"`);
  else {
    writeFileSync(join(root, name), text);
    console.log(`wrote ${name}`);
  }
  return false;
}

/** Adapters that name other releases than the verified ones. */
function versionProblems(): string[] {
  return adapters.flatMap(({ agent, verifiedVersions = [], minVersion, needsNoInstall }) => {
    const verified = verifiedReleases(record, agent);
    const claim = (versions: readonly string[], least: string | undefined) =>
      versions.length > 0 ? `${versions.join(', ')}, at least ${least}` : 'nothing';
    const [shown, claimed] = [
      claim(verified, needsNoInstall ? undefined : verified[0]),
      claim(verifiedVersions, minVersion),
    ];
    return shown === claimed ? [] : [`${agent}: verified with ${shown}, but its adapter says ${claimed}`];
  });
}

function read(name: string): string {
  const path = join(root, name);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
