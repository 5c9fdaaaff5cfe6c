/**
 * `npm run test:agents [-- agent...]`: runs the verification cases on the real CLIs, offline, with a scripted model. Without
 * names: the agents whose recorded verification has no failure.
 * `--full` runs all cases in all modes (default: agents/standard-cases.ts), `--case ID` and `--mode NAME` select (repeatable;
 * `--mode dashboard`: only the browser cases), `--carrier process|daemon` runs the cases only in process or only through a
 * daemon (default: both), `--record` runs all and writes docs/verifications.json, `--json` prints the results as JSON,
 * `--workers N` sets how many run at once, `--keep` keeps the scratch folder.
 * `--release VERSION|latest|previous` verifies another release of the named agents; `previous` is the one before the pinned
 * one. With `--record` its results are stored next to those of the pinned release.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type AgentAdapter, type AgentMode, modesOf } from '@agent-mux/core';
import {
  type AgentSetup,
  agentSetups,
  CARRIERS,
  type Carrier,
  type CaseResult,
  casesFor,
  findSshd,
  pathWith,
  type VerificationRecord,
  type VerifyCase,
} from '@agent-mux/testkit';
import { findAdapter } from './agents/adapters.ts';
import { DASHBOARD, planDashboard, runInDashboard } from './agents/dashboard/verify.ts';
import { TEST_AGENTS_FLAGS } from './agents/flags.ts';
import { installCli, pinnedCli } from './agents/install.ts';
import { findIsolation } from './agents/isolation.ts';
import { readVerifications, withOutcomes, withRelease, writeVerifications } from './agents/record.ts';
import { findRelease, versionText } from './agents/releases.ts';
import { fullCases, standardCases } from './agents/standard-cases.ts';
import { countOf, type Outcome, outcomeTable, statusOf } from './agents/table.ts';
import { endWorkers, type Job, runJobs } from './agents/worker-pool.ts';

/** Cases per worker: enough to be worth its start, few enough to balance the load. */
const CASES_PER_JOB = 14;
const WORKERS = 3;
/** Up to this many failures are retried, because the machine may have been busy. */
const MAX_RETRIED = 20;

const TABLE_TITLES: Readonly<Record<Carrier, string>> = {
  process: 'In process (createClient)',
  daemon: 'Through the daemon (connect)',
};

const { values, positionals } = parseArgs({ allowPositionals: true, options: TEST_AGENTS_FLAGS });

const started = performance.now();
if (values.release && values.record && (values.case ?? values.mode))
  fail('recording a release requires all its cases: omit --case and --mode, or --record');
const full =
  values.full === true || (values.record === true && values.release === undefined) || values.case !== undefined;
const carriers = chosenCarriers();
const agents = chosenAgents(positionals);
/** Selected release by CLI; others use the pinned one. */
const releases = await chosenReleases(agents);
const isolation = findIsolation();
const scratch = mkdtempSync(join(tmpdir(), 'agent-mux-verify-'));
let isKept = values.keep === true;
process.once('exit', () => {
  if (!isKept) rmSync(scratch, { recursive: true, force: true });
});
/** PATH of each agent, once its CLI is installed. */
const installed = new Map<string, Promise<string>>();
const jobs = planJobs(agents);
if (!findSshd()) say('sshd not found (package openssh-server): ssh cases are skipped');
if (jobs.length === 0 && !isDashboardWanted()) fail('no matching case');

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

/** Without names: every agent whose recorded verification has no failure. */
function chosenAgents(named: readonly string[]): string[] {
  const known = Object.keys(agentSetups);
  const recorded = readVerifications().agents;
  const wanted = named.length > 0 ? [...named] : known.filter((name) => isVerified(recorded[name]));
  const unknown = wanted.filter((name) => !known.includes(name) || !findAdapter(name));
  if (unknown.length > 0) {
    const how = 'add it to packages/testkit/src/verify/agents and its package to scripts/agents/versions.json';
    fail(`no verification setup for ${unknown.join(', ')} (${how}); known: ${known.join(', ')}`);
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
  for (const cli of new Set(names.map((name) => agentSetups[name]!.cli))) {
    const { version: pinned } = pinnedCli(cli);
    const version = await findRelease(cli, wanted).catch((error) => fail(error.message));
    if (version !== pinned) chosen.set(cli, version);
    say(version === pinned ? `${cli} ${version}, the pinned release` : `${cli} ${version}; pinned is ${pinned}`);
  }
  return chosen;
}

function versionOf(agent: string): string {
  const { cli } = agentSetups[agent]!;
  return releases.get(cli) ?? pinnedCli(cli).version;
}

async function record(): Promise<void> {
  const today = new Date();
  const isOther = ({ agent }: Outcome) => releases.has(agentSetups[agent]!.cli);
  let updated = withOutcomes(
    readVerifications(),
    outcomes.filter((outcome) => !isOther(outcome)),
    today,
  );
  const others = Map.groupBy(outcomes.filter(isOther), ({ agent }) => agent);
  for (const [agent, shown] of others) {
    // A release that could not be installed has no result.
    const path = await jobs.find((job) => job.agent === agent)!.path.catch(() => undefined);
    if (path === undefined) {
      say(`${agent} ${versionOf(agent)} could not be installed: not recorded`);
      continue;
    }
    const version = versionText({ agent, path, isolation, home: scratch }) ?? versionOf(agent);
    updated = withRelease(updated, { agent, version, cases: full ? 'all' : 'usual' }, shown, today);
  }
  writeVerifications(updated);
}

function isVerified(record: VerificationRecord['agents'][string] | undefined): boolean {
  const results = Object.values(record?.modes ?? {}).flatMap((cases) => Object.values(cases));
  return results.length > 0 && results.every((result) => result === 'passed');
}

function planJobs(names: readonly string[]): Job[] {
  const planned: Job[] = [];
  let last: Promise<unknown> = Promise.resolve();
  for (const agent of names.toSorted((a, b) => patienceWith(b) - patienceWith(a))) {
    const adapter = findAdapter(agent)!;
    const setup = agentSetups[agent]!;
    // Installs one after the other, while installed agents already run.
    const path = last
      .then(() => installCli(setup.cli, say, versionOf(agent)))
      .then((folders) => pathWith(folders, process.env.PATH ?? ''));
    last = path.catch(() => {});
    installed.set(agent, path);
    for (const mode of modesOf(adapter)) {
      if (values.mode && !values.mode.includes(mode.name)) continue;
      for (const carrier of carriers) {
        const wanted = chosenCases(adapter, mode, setup, carrier);
        const size = mode.driver === 'http' ? wanted.length : CASES_PER_JOB;
        for (const part of shareOut(wanted, size)) planned.push({ agent, mode: mode.name, carrier, cases: part, path });
      }
    }
  }
  // The longest first, so that the workers finish together.
  const weight = ({ agent, cases }: Job) => cases.length * patienceWith(agent);
  return planned.sort((a, b) => weight(b) - weight(a));
}

function chosenCases(adapter: AgentAdapter, mode: AgentMode, setup: AgentSetup, carrier: Carrier): VerifyCase[] {
  const { case: named } = values;
  if (!named) return full ? fullCases(adapter, mode, setup, carrier) : standardCases(adapter, mode, setup, carrier);
  // Through the daemon a named case runs only in the default mode, unless a mode is named too.
  if (carrier === 'daemon' && !values.mode && modesOf(adapter)[0]?.name !== mode.name) return [];
  return casesFor(adapter, mode, setup, { ofProject: true, carrier }).filter(({ id }) => named.includes(id));
}

function patienceWith(agent: string): number {
  return agentSetups[agent]?.patience ?? 1;
}

/** Cases that share a run stay together. */
function shareOut(cases: readonly VerifyCase[], size: number): string[][] {
  const together = Map.groupBy(cases, ({ id, shares }) => shares ?? id);
  const parts: string[][] = [[]];
  for (const group of together.values()) {
    if (parts.at(-1)!.length >= size) parts.push([]);
    parts.at(-1)!.push(...group.map(({ id }) => id));
  }
  return parts.filter((part) => part.length > 0);
}

/** Retries failed cases once, alone, because the machine may have been busy. Reports those that then pass. */
async function settle(
  results: readonly CaseResult[],
  tryAgain: (bad: readonly CaseResult[]) => Promise<CaseResult[]>,
): Promise<Outcome[]> {
  const bad = results.filter(({ ok }) => !ok);
  const again = bad.length > MAX_RETRIED ? [] : bad;
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

/** A selection or a recording excludes the dashboard, unless it is named. */
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
  // Cases with a disabled assertion do not count as passed.
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

/** Lists disabled assertions with their cases. */
function showNotAsserted(): void {
  const all = outcomes.flatMap((outcome) =>
    (outcome.notAsserted ?? []).map((claim) => ({ claim, name: nameOf(outcome) })),
  );
  if (all.length === 0) return;
  console.log('partly: not asserted, because the CLI deviates:');
  for (const [claim, cases] of Map.groupBy(all, (one) => one.claim))
    console.log(`${indent(claim)}: ${cases.map(({ name }) => name).join(', ')}`);
}

/** Prints a result; failures are retried, and only the final report counts them. */
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
