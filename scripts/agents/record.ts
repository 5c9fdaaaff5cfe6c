import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions, modesOf } from '@agent-mux/core';
import {
  type AgentVerificationRecord,
  agentSetups,
  type Carrier,
  casesFor,
  differencesOf,
  NO_VERIFICATIONS,
  notAssertedIn,
  parseVerificationRecord,
  type ReleaseRecord,
  type VerificationRecord,
  verifyCases,
} from '@agent-mux/testkit';
import { adapterOf } from './adapters.ts';
import { pinnedCli } from './install.ts';
import { countOf, type Outcome, statusOf } from './table.ts';

const RECORD_FILE = join(import.meta.dirname, '..', '..', 'docs', 'verifications.json');

export function readVerifications(): VerificationRecord {
  return existsSync(RECORD_FILE) ? parseVerificationRecord(readFileSync(RECORD_FILE, 'utf8')) : NO_VERIFICATIONS;
}

export function writeVerifications(record: VerificationRecord): void {
  writeFileSync(RECORD_FILE, `${JSON.stringify(record, null, 2)}\n`);
}

/**
 * Merges outcomes into the record of the pinned version. The record of a previously pinned version moves to the other
 * releases; cases that are no longer declared are dropped.
 */
export function withOutcomes(
  record: VerificationRecord,
  outcomes: readonly Outcome[],
  today: Date,
): VerificationRecord {
  let { agents, releases } = record;
  for (const { agent, mode, carrier, case: id, ok } of outcomes) {
    const pinned = pinnedCli(agentSetups[agent]!.cli);
    const version = pinned.reportedVersion ?? pinned.version;
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
  return { ...record, agents: sortByName(agents), releases };
}

/** Records a release other than the pinned one; replaces an existing record of it. */
export function withRelease(
  record: VerificationRecord,
  { agent, version, cases }: { agent: string } & Pick<ReleaseRecord, 'version' | 'cases'>,
  outcomes: readonly Outcome[],
  today: Date,
): VerificationRecord {
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
  return { ...record, releases: addRelease(record.releases, agent, release) };
}

/** Releases of this agent without a failed case, the oldest first. */
export function verifiedReleases({ agents, releases }: VerificationRecord, agent: string): string[] {
  const pinned = agents[agent];
  const all = [...(releases[agent] ?? []), ...(pinned ? [summaryOf(agent, pinned)] : [])];
  return all
    .filter(({ passed, failed }) => passed > 0 && failed.length === 0)
    .map(({ version }) => version)
    .sort(compareVersions);
}

/** Status of a recorded result: a quirk of the CLI may disable an assertion of a passed case. */
export function recordedStatus(
  { agent, mode, id }: { agent: string; mode: string; id: string },
  result: 'passed' | 'failed',
): ReturnType<typeof statusOf> {
  const one = verifyCases.find((each) => each.id === id);
  const declared = modesOf(adapterOf(agent)).find(({ name }) => name === mode);
  const notAsserted = declared && one ? notAssertedIn(one, differencesOf(agentSetups[agent], declared)) : [];
  return statusOf({ ok: result === 'passed', notAsserted });
}

function summaryOf(agent: string, { version, date, platform, modes }: AgentVerificationRecord): ReleaseRecord {
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

type Releases = VerificationRecord['releases'];

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

type Modes = AgentVerificationRecord['modes'];

function declared(agent: string, modes: Modes, carrier: Carrier): Modes {
  const kept: Modes = {};
  const adapter = adapterOf(agent);
  for (const mode of modesOf(adapter)) {
    const cases = new Set(
      casesFor(adapter, mode, agentSetups[agent]!, { ofProject: true, carrier }).map(({ id }) => id),
    );
    const still = Object.entries(modes[mode.name] ?? {}).filter(([id]) => cases.has(id));
    if (still.length > 0) kept[mode.name] = Object.fromEntries(still);
  }
  return kept;
}
