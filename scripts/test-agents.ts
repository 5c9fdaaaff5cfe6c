/**
 * `npm run test:agents [-- agent...]`: every case of the proof on the real CLIs, offline, with a scripted model. Without a
 * name: the agents whose recorded proof holds in full.
 * `--full` runs all cases in all modes (agents/usual-cases.ts says what is run else), `--case ID` and `--mode NAME` narrow it
 * down (both may be repeated; `--mode dashboard`: only what is shown in a browser), `--carrier process|daemon` runs the cases in process or
 * through a daemon alone (default: both), `--record` runs all and writes docs/proofs.json, `--json` prints the results for programs,
 * `--workers N` says how many run at once, `--keep` keeps the scratch folder.
 * `--release VERSION|latest|previous` proves another release of the named agents; `previous` is the one before the pinned
 * one. With `--record` its evidence is kept beside that of the pinned release: of the usual cases, or with `--full` of all.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type AgentAdapter, type AgentMode, modesOf } from '@agent-mux/core';
import {
  type AgentProof,
  agentProofs,
  CARRIERS,
  type Carrier,
  type CaseResult,
  casesFor,
  findSshd,
  type ProofCase,
  type ProofRecord,
  pathWith,
} from '@agent-mux/testkit';
import { findAdapter } from './agents/adapters.ts';
import { DASHBOARD, planDashboard, runInDashboard } from './agents/dashboard/prove.ts';
import { TEST_AGENTS_FLAGS } from './agents/flags.ts';
import { installCli, pinnedCli } from './agents/install.ts';
import { findIsolation } from './agents/isolation.ts';
import { readProofs, withOutcomes, withRelease, writeProofs } from './agents/record.ts';
import { findRelease, tellVersion } from './agents/releases.ts';
import { countOf, type Outcome, outcomeTable, statusOf } from './agents/table.ts';
import { fullCases, usualCases } from './agents/usual-cases.ts';
import { endWorkers, type Job, runJobs } from './agents/worker-pool.ts';

/** Cases of one worker: enough to be worth its start, few enough to share the work out evenly. */
const CASES_PER_JOB = 14;
const WORKERS = 3;
/** So many failures may be the fault of a busy machine; more are not. */
const TRIED_AGAIN = 20;

const TABLE_TITLES: Readonly<Record<Carrier, string>> = {
  process: 'In process (createClient)',
  daemon: 'Through the daemon (connect)',
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: TEST_AGENTS_FLAGS });

const started = performance.now();
if (values.release && values.record && (values.case ?? values.mode))
  fail('the evidence of a release is a whole selection of cases: leave out --case and --mode, or --record');
const full =
  values.full === true || (values.record === true && values.release === undefined) || values.case !== undefined;
const carriers = chosenCarriers();
const agents = chosenAgents(positionals);
/** By CLI; those that are not in it are the pinned ones. */
const releases = await chosenReleases(agents);
const isolation = findIsolation();
const scratch = mkdtempSync(join(tmpdir(), 'agent-mux-proof-'));
let isKept = values.keep === true;
process.once('exit', () => {
  if (!isKept) rmSync(scratch, { recursive: true, force: true });
});
/** PATH of each agent, when its CLI is there. */
const installed = new Map<string, Promise<string>>();
const jobs = planJobs(agents);
if (!findSshd()) say('no sshd on this machine (package openssh-server): nothing is shown over ssh');
if (jobs.length === 0 && !isDashboardWanted()) fail('no case fits: nothing to run');

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endWorkers();
    process.exit(130);
  });
}
const pool = { isolation, scratch, atOnce: Number(values.workers ?? WORKERS), onResult: showResult };
const first = await runJobs(jobs, pool);
const outcomes = [...(await settle(first, runAlone)), ...(await showInDashboard())];
const failed = outcomes.filter(({ ok }) => !ok);
if (values.record) await record();
const versions = Object.fromEntries(agents.map((agent) => [agent, versionOf(agent)]));
if (values.json) console.log(JSON.stringify({ isolation: isolation.summary, versions, outcomes }, null, 2));
else report();
if (failed.length > 0) isKept = true;
process.exit(failed.length === 0 ? 0 : 1);

/** Without a name: every agent whose recorded proof holds in full. Another one is named until its `--record` is green. */
function chosenAgents(named: readonly string[]): string[] {
  const known = Object.keys(agentProofs);
  const recorded = readProofs().agents;
  const wanted = named.length > 0 ? [...named] : known.filter((name) => isProven(recorded[name]));
  const unknown = wanted.filter((name) => !known.includes(name) || !findAdapter(name));
  if (unknown.length > 0) {
    const how = 'it takes one in packages/testkit/src/proof/agents, and its package in scripts/agents/versions.json';
    fail(`no proof for ${unknown.join(', ')} (${how}); there is one for: ${known.join(', ')}`);
  }
  return wanted;
}

function chosenCarriers(): Carrier[] {
  const unknown = (values.carrier ?? []).filter((name) => !CARRIERS.some((carrier) => carrier === name));
  if (unknown.length > 0) fail(`unknown carrier ${unknown.join(', ')}: --carrier is one of ${CARRIERS.join(', ')}`);
  return CARRIERS.filter((carrier) => values.carrier?.includes(carrier) ?? true);
}

/** Of each CLI the release that `--release` means, where that is not the pinned one. */
async function chosenReleases(names: readonly string[]): Promise<Map<string, string>> {
  const { release: wanted } = values;
  const chosen = new Map<string, string>();
  if (wanted === undefined) return chosen;
  for (const cli of new Set(names.map((name) => agentProofs[name]!.cli))) {
    const { version: pinned } = pinnedCli(cli);
    const version = await findRelease(cli, wanted).catch((error) => fail(error.message));
    if (version !== pinned) chosen.set(cli, version);
    say(version === pinned ? `${cli} ${version}, the pinned release` : `${cli} ${version}; pinned is ${pinned}`);
  }
  return chosen;
}

function versionOf(agent: string): string {
  const { cli } = agentProofs[agent]!;
  return releases.get(cli) ?? pinnedCli(cli).version;
}

async function record(): Promise<void> {
  const today = new Date();
  const isOther = ({ agent }: Outcome) => releases.has(agentProofs[agent]!.cli);
  let proofs = withOutcomes(
    readProofs(),
    outcomes.filter((outcome) => !isOther(outcome)),
    today,
  );
  const others = Map.groupBy(outcomes.filter(isOther), ({ agent }) => agent);
  for (const [agent, shown] of others) {
    // What could not be installed has shown nothing, neither good nor bad.
    const path = await jobs.find((job) => job.agent === agent)!.path.catch(() => undefined);
    if (path === undefined) {
      say(`${agent} ${versionOf(agent)} could not be installed: nothing is recorded of it`);
      continue;
    }
    const version = tellVersion({ agent, path, isolation, home: scratch }) ?? versionOf(agent);
    proofs = withRelease(proofs, { agent, version, cases: full ? 'all' : 'usual' }, shown, today);
  }
  writeProofs(proofs);
}

function isProven(record: ProofRecord['agents'][string] | undefined): boolean {
  const results = Object.values(record?.modes ?? {}).flatMap((cases) => Object.values(cases));
  return results.length > 0 && results.every((result) => result === 'passed');
}

function planJobs(names: readonly string[]): Job[] {
  const planned: Job[] = [];
  let last: Promise<unknown> = Promise.resolve();
  for (const agent of names.toSorted((a, b) => patienceWith(b) - patienceWith(a))) {
    const adapter = findAdapter(agent)!;
    const proof = agentProofs[agent]!;
    // One after the other, while the agents that are there already are at work.
    const path = last
      .then(() => installCli(proof.cli, say, versionOf(agent)))
      .then((folders) => pathWith(folders, process.env.PATH ?? ''));
    last = path.catch(() => {});
    installed.set(agent, path);
    for (const mode of modesOf(adapter)) {
      if (values.mode && !values.mode.includes(mode.name)) continue;
      for (const carrier of carriers) {
        const wanted = chosenCases(adapter, mode, proof, carrier);
        const size = mode.driver === 'http' ? wanted.length : CASES_PER_JOB;
        for (const part of shareOut(wanted, size)) planned.push({ agent, mode: mode.name, carrier, cases: part, path });
      }
    }
  }
  // The longest first, so that none is left alone at the end.
  const weight = ({ agent, cases }: Job) => cases.length * patienceWith(agent);
  return planned.sort((a, b) => weight(b) - weight(a));
}

function chosenCases(adapter: AgentAdapter, mode: AgentMode, proof: AgentProof, carrier: Carrier): ProofCase[] {
  const { case: named } = values;
  if (!named) return full ? fullCases(adapter, mode, proof, carrier) : usualCases(adapter, mode, proof, carrier);
  // Through the daemon a named case is run in the default mode alone, unless a mode is named too.
  if (carrier === 'daemon' && !values.mode && modesOf(adapter)[0]?.name !== mode.name) return [];
  return casesFor(adapter, mode, proof, { ofProject: true, carrier }).filter(({ id }) => named.includes(id));
}

function patienceWith(agent: string): number {
  return agentProofs[agent]?.patience ?? 1;
}

/** Cases that share a run stay together. */
function shareOut(cases: readonly ProofCase[], size: number): string[][] {
  const together = Map.groupBy(cases, ({ id, shares }) => shares ?? id);
  const parts: string[][] = [[]];
  for (const family of together.values()) {
    if (parts.at(-1)!.length >= size) parts.push([]);
    parts.at(-1)!.push(...family.map(({ id }) => id));
  }
  return parts.filter((part) => part.length > 0);
}

/** What failed among others is tried once more alone: the machine may have been busy. It is told when that helped. */
async function settle(
  results: readonly CaseResult[],
  tryAgain: (bad: readonly CaseResult[]) => Promise<CaseResult[]>,
): Promise<Outcome[]> {
  const bad = results.filter(({ ok }) => !ok);
  const again = bad.length > TRIED_AGAIN ? [] : bad;
  if (again.length > 0) say(`once more, alone: ${again.map(nameOf).join(', ')}`);
  const retried = await tryAgain(again);
  return results.map((result) => {
    if (result.ok) return { ...result, flaky: false };
    const second = retried.find((one) => nameOf(one) === nameOf(result));
    return second?.ok ? { ...second, flaky: true, error: result.error } : { ...result, ...second, flaky: false };
  });
}

function runAlone(bad: readonly CaseResult[]): Promise<CaseResult[]> {
  const alone = bad.map(({ agent, mode, carrier, case: id }) => ({
    ...{ agent, mode, carrier },
    cases: [id],
    path: jobs.find((job) => job.agent === agent)!.path,
  }));
  return runJobs(alone, { ...pool, atOnce: 1 });
}

/** What is narrowed down or recorded is of the agent alone, unless the dashboard is named. */
function isDashboardWanted(): boolean {
  if (values.record || !carriers.includes('daemon')) return false;
  return values.mode ? values.mode.includes(DASHBOARD) : values.case === undefined;
}

async function showInDashboard(): Promise<Outcome[]> {
  if (!isDashboardWanted()) return [];
  const paths = await Promise.all(
    [...installed].map(async ([agent, path]) => ({ agent, path: await path.catch(() => undefined) })),
  );
  const ready = paths.flatMap(({ agent, path }) => (path === undefined ? [] : [{ agent, path }]));
  const planned = planDashboard(ready, values.case);
  const results = await Promise.all(planned.map((job) => runInDashboard(job, isolation, showResult)));
  return settle(results.flat(), async (bad) => {
    const retried: CaseResult[] = [];
    for (const { agent, case: id } of bad) {
      const job = planned.find((each) => each.agent === agent)!;
      retried.push(...(await runInDashboard({ ...job, cases: [id] }, isolation, showResult)));
    }
    return retried;
  });
}

function report(): void {
  for (const carrier of carriers) showTable(carrier);
  showNotAsserted();
  const flaky = outcomes.filter((outcome) => outcome.flaky);
  if (flaky.length > 0) console.log('flaky, passed when run alone:');
  for (const outcome of flaky) console.log(`${indent(nameOf(outcome))}: ${outcome.error?.split('\n')[0]}`);
  for (const { error, story, ...outcome } of failed) {
    console.log(`FAIL ${nameOf(outcome)}\n${indent(error ?? '')}\n${indent(story ?? '')}\n`);
  }
  if (failed.length > 0 || values.keep) console.log(`traces and folders: ${scratch}`);
  console.log(`${isolation.summary}; ${((performance.now() - started) / 1000).toFixed(0)} s`);
  // Cases with a switched-off assertion are counted apart, and not as passed.
  console.log(`${countOf(outcomes).partly} partly`);
  console.log(`${countOf(outcomes).passed} passed, ${failed.length} failed`);
}

function showTable(carrier: Carrier): void {
  const own = outcomes.filter((outcome) => outcome.carrier === carrier);
  if (own.length === 0) return;
  console.log(`\n${TABLE_TITLES[carrier]}: ${countText(own)}\n\n${outcomeTable(own)}\n`);
}

function countText(some: readonly Outcome[]): string {
  const { passed, partly, failed: bad } = countOf(some);
  return `${passed} passed, ${partly} partly, ${bad} failed`;
}

/** By claim, the cases in which quirks of the CLI switch it off. */
function showNotAsserted(): void {
  const all = outcomes.flatMap((outcome) =>
    (outcome.notAsserted ?? []).map((claim) => ({ claim, name: nameOf(outcome) })),
  );
  if (all.length === 0) return;
  console.log('partly: not asserted, because the CLI does otherwise:');
  for (const [claim, cases] of Map.groupBy(all, (one) => one.claim))
    console.log(`${indent(claim)}: ${cases.map(({ name }) => name).join(', ')}`);
}

/** What is not ok the first time is tried again: only the report at the end says that it failed. */
function showResult(result: CaseResult): void {
  const reason = result.ok ? '' : `: ${result.error?.split('\n')[0] ?? 'no reason given'}`;
  const mark = { passed: 'ok    ', partly: 'partly', failed: 'not ok' }[statusOf(result)];
  say(`${mark} ${nameOf(result)} (${(result.ms / 1000).toFixed(1)} s)${reason}`);
}

function nameOf({ agent, mode, carrier, case: id }: CaseResult): string {
  return `${agent}/${mode}${carrier === 'daemon' && mode !== DASHBOARD ? ' through the daemon' : ''} ${id}`;
}

function indent(text: string): string {
  return text.replace(/^/gm, '     ');
}

function say(text: string): void {
  console.error(text);
}

function fail(text: string): never {
  console.error(`test-agents: ${text}`);
  process.exit(2);
}
