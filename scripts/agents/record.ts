import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions, modesOf } from '@agent-mux/core';
import {
  type AgentProofRecord,
  agentProofs,
  casesFor,
  NO_PROOFS,
  type ProofRecord,
  parseProofRecord,
  type ReleaseRecord,
} from '@agent-mux/testkit';
import { adapterOf } from './adapters.ts';
import { pinnedCli } from './install.ts';
import type { Outcome } from './table.ts';

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
  for (const { agent, mode, case: id, ok } of outcomes) {
    const pinned = pinnedCli(agentProofs[agent]!.cli);
    const version = pinned.tells ?? pinned.version;
    const before = agents[agent];
    if (before && before.version !== version) releases = addRelease(releases, agent, summaryOf(before));
    const modes = before?.version === version ? declared(agent, before.modes) : {};
    agents = {
      ...agents,
      [agent]: {
        package: pinned.package,
        version,
        ...stamp(today),
        modes: { ...modes, [mode]: { ...modes[mode], [id]: ok ? 'passed' : 'failed' } },
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
    passed: outcomes.filter(({ ok }) => ok).length,
    total: outcomes.length,
    failed: outcomes.filter(({ ok }) => !ok).map(({ mode, case: id }) => `${mode} ${id}`),
  };
  return { ...proofs, releases: addRelease(proofs.releases, agent, release) };
}

/** The releases of this agent that have shown everything that was asked of them, the oldest first. */
export function provenReleases({ agents, releases }: ProofRecord, agent: string): string[] {
  const pinned = agents[agent];
  const all = [...(releases[agent] ?? []), ...(pinned ? [summaryOf(pinned)] : [])];
  return all
    .filter(({ passed, failed }) => passed > 0 && failed.length === 0)
    .map(({ version }) => version)
    .sort(compareVersions);
}

function summaryOf({ version, date, platform, modes }: AgentProofRecord): ReleaseRecord {
  const results = Object.entries(modes).flatMap(([mode, cases]) =>
    Object.entries(cases).map(([id, result]) => ({ name: `${mode} ${id}`, ok: result === 'passed' })),
  );
  const failed = results.filter(({ ok }) => !ok).map(({ name }) => name);
  return {
    version,
    date,
    platform,
    cases: 'all',
    passed: results.length - failed.length,
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

function declared(agent: string, modes: Modes): Modes {
  const kept: Modes = {};
  const adapter = adapterOf(agent);
  for (const mode of modesOf(adapter)) {
    const cases = new Set(casesFor(adapter, mode, agentProofs[agent]!, { ofProject: true }).map(({ id }) => id));
    const still = Object.entries(modes[mode.name] ?? {}).filter(([id]) => cases.has(id));
    if (still.length > 0) kept[mode.name] = Object.fromEntries(still);
  }
  return kept;
}
