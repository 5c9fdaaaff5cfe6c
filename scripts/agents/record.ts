import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions, modesOf } from '@agent-mux/core';
import {
  type AgentProofRecord,
  agentProofs,
  type Carrier,
  casesFor,
  differencesOf,
  NO_PROOFS,
  notAssertedIn,
  type ProofRecord,
  parseProofRecord,
  proofCases,
  type ReleaseRecord,
} from '@agent-mux/testkit';
import { adapterOf } from './adapters.ts';
import { pinnedCli } from './install.ts';
import { countOf, type Outcome, statusOf } from './table.ts';

const PROOFS_FILE = join(import.meta.dirname, '..', '..', 'docs', 'proofs.json');

export function readProofs(): ProofRecord {
  return existsSync(PROOFS_FILE) ? parseProofRecord(readFileSync(PROOFS_FILE, 'utf8')) : NO_PROOFS;
}

export function writeProofs(proofs: ProofRecord): void {
  writeFileSync(PROOFS_FILE, `${JSON.stringify(proofs, null, 2)}\n`);
}

/**
 * Adds to what is known of the same version. What was proven with another one, pinned until now, is kept as one of the
 * other releases; what is no longer declared is forgotten.
 */
export function withOutcomes(proofs: ProofRecord, outcomes: readonly Outcome[], today: Date): ProofRecord {
  let { agents, releases } = proofs;
  for (const { agent, mode, carrier, case: id, ok } of outcomes) {
    const pinned = pinnedCli(agentProofs[agent]!.cli);
    const version = pinned.tells ?? pinned.version;
    const before = agents[agent];
    if (before && before.version !== version) releases = addRelease(releases, agent, summaryOf(agent, before));
    const isSame = before?.version === version;
    const shown = {
      modes: isSame ? declared(agent, before.modes, 'process') : {},
      daemon: isSame ? declared(agent, before.daemon, 'daemon') : {},
    };
    const field = carrier === 'daemon' ? 'daemon' : 'modes';
    const cases = { ...shown[field][mode], [id]: ok ? ('passed' as const) : ('failed' as const) };
    agents = {
      ...agents,
      [agent]: {
        package: pinned.package,
        version,
        ...stamp(today),
        ...shown,
        [field]: { ...shown[field], [mode]: cases },
      },
    };
    releases = dropRelease(releases, agent, version);
  }
  return { ...proofs, agents: sortByName(agents), releases };
}

/** Evidence of a release other than the pinned one; what was known of the same release is replaced. */
export function withRelease(
  proofs: ProofRecord,
  { agent, version, cases }: { agent: string } & Pick<ReleaseRecord, 'version' | 'cases'>,
  outcomes: readonly Outcome[],
  today: Date,
): ProofRecord {
  const release = {
    version,
    ...stamp(today),
    cases,
    passed: countOf(outcomes).passed,
    partly: countOf(outcomes).partly,
    total: outcomes.length,
    failed: outcomes
      .filter(({ ok }) => !ok)
      .map(({ mode, carrier, case: id }) => `${mode} ${id}${carrier === 'daemon' ? ' through the daemon' : ''}`),
  };
  return { ...proofs, releases: addRelease(proofs.releases, agent, release) };
}

/** The releases of this agent that have shown everything that was asked of them, the oldest first. */
export function provenReleases({ agents, releases }: ProofRecord, agent: string): string[] {
  const pinned = agents[agent];
  const all = [...(releases[agent] ?? []), ...(pinned ? [summaryOf(agent, pinned)] : [])];
  return all
    .filter(({ passed, failed }) => passed > 0 && failed.length === 0)
    .map(({ version }) => version)
    .sort(compareVersions);
}

/** What a recorded result counts as: a quirk of the CLI may switch an assertion of a passed case off. */
export function recordedStatus(
  { agent, mode, id }: { agent: string; mode: string; id: string },
  result: 'passed' | 'failed',
): ReturnType<typeof statusOf> {
  const one = proofCases.find((each) => each.id === id);
  const declared = modesOf(adapterOf(agent)).find(({ name }) => name === mode);
  const notAsserted = declared && one ? notAssertedIn(one, differencesOf(agentProofs[agent], declared)) : [];
  return statusOf({ ok: result === 'passed', notAsserted });
}

function summaryOf(agent: string, { version, date, platform, modes }: AgentProofRecord): ReleaseRecord {
  const results = Object.entries(modes).flatMap(([mode, cases]) =>
    Object.entries(cases).map(([id, result]) => ({
      name: `${mode} ${id}`,
      status: recordedStatus({ agent, mode, id }, result),
    })),
  );
  const failed = results.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return {
    version,
    date,
    platform,
    cases: 'all',
    passed: results.filter(({ status }) => status === 'passed').length,
    partly: results.filter(({ status }) => status === 'partly').length,
    total: results.length,
    failed,
  };
}

type Releases = ProofRecord['releases'];

function addRelease(releases: Releases, agent: string, release: ReleaseRecord): Releases {
  const others = dropRelease(releases, agent, release.version)[agent] ?? [];
  const sorted = [...others, release].sort((a, b) => compareVersions(a.version, b.version));
  return sortByName({ ...releases, [agent]: sorted });
}

function dropRelease(releases: Releases, agent: string, version: string): Releases {
  const known = releases[agent] ?? [];
  const others = known.filter((release) => release.version !== version);
  return others.length === known.length ? releases : { ...releases, [agent]: others };
}

function stamp(today: Date): Pick<ReleaseRecord, 'date' | 'platform'> {
  return { date: today.toISOString().slice(0, 10), platform: `${process.platform} ${process.arch}` };
}

function sortByName<Value>(entries: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => a.localeCompare(b)));
}

type Modes = AgentProofRecord['modes'];

function declared(agent: string, modes: Modes, carrier: Carrier): Modes {
  const kept: Modes = {};
  const adapter = adapterOf(agent);
  for (const mode of modesOf(adapter)) {
    const cases = new Set(
      casesFor(adapter, mode, agentProofs[agent]!, { ofProject: true, carrier }).map(({ id }) => id),
    );
    const still = Object.entries(modes[mode.name] ?? {}).filter(([id]) => cases.has(id));
    if (still.length > 0) kept[mode.name] = Object.fromEntries(still);
  }
  return kept;
}
