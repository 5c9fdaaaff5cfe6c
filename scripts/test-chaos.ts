/**
 * `npm run test:chaos`: runs sessions of real agents on the scripted model, kills processes at random, and compares the store
 * with what the model sent.
 * `--rounds N` plays N rounds (default 20, none with `--cases` or `--load`), `--seed S` repeats a plan, `--kind K` limits what
 * is killed, `--agents a,b` selects agents. `--cases` runs the other faults, `--case ID` one of them, `--load` the cases with
 * many sessions. `--workers N` sets how many run at once, `--sources` runs the daemon from its sources, `--story` prints what
 * happened when, `--keep` keeps all folders.
 */
import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@agent-mux/core';
import { agentSetups, pathWith } from '@agent-mux/testkit';
import {
  type CaseOutcome,
  chaosCases,
  chooseRounds,
  hasPassed,
  KILL_KINDS,
  loadCases,
  type RoundOutcome,
  roundTable,
} from '@agent-mux/testkit/chaos';
import { installCli } from './agents/install.ts';
import { findIsolation } from './agents/isolation.ts';
import { TEST_CHAOS_FLAGS } from './chaos/flags.ts';
import { endWorkers, runJobs } from './chaos/run-jobs.ts';

const COSTLY = ['claude', 'codex', 'opencode', 'pi', 'gemini'];
const CHEAP = ['scripted', 'demo'];
const ROUNDS = 20;
/** Two rounds at once fit on two cores. */
const WORKERS = 2;
/** Rounds have their own timeouts; this one is for a stuck worker. */
const JOB_LIMIT_MS = 6 * 60_000;

const { values } = parseArgs({ options: TEST_CHAOS_FLAGS });
const started = performance.now();
const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed);
const kind = KILL_KINDS.find((one) => one === values.kind);
if (values.kind !== undefined && !kind) fail(`--kind is one of ${KILL_KINDS.join(', ')}`);
const wanted = values.agents?.split(',') ?? [...COSTLY, ...CHEAP];
const unknown = wanted.filter((agent) => ![...COSTLY, ...CHEAP].includes(agent));
if (unknown.length > 0) fail(`--agents knows ${[...COSTLY, ...CHEAP].join(', ')}, not ${unknown.join(', ')}`);
const asked = values.case ?? [
  ...(values.cases ? chaosCases.map(({ id }) => id) : []),
  ...(values.load ? loadCases.map(({ id }) => id) : []),
];
const rounds = Number(values.rounds ?? (asked.length > 0 ? 0 : ROUNDS));
if (!Number.isInteger(rounds) || !Number.isInteger(seed)) fail('--rounds and --seed are whole numbers');

const isolation = findIsolation();
const scratch = mkdtempSync(join(tmpdir(), 'amux-chaos-'));
let isKept = values.keep === true;
/** The sandbox of Codex makes it where it protects the temporary folder, and leaves it; other tests would take it for a repository. */
const strayRepository = '/tmp/.git';
const wasThere = existsSync(strayRepository);
process.once('exit', () => {
  if (!isKept) rmSync(scratch, { recursive: true, force: true });
  if (!wasThere && existsSync(strayRepository) && readdirSync(strayRepository).length === 0) rmdirSync(strayRepository);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endWorkers();
    process.exit(130);
  });
}

const needed = new Set([
  ...(rounds > 0 ? wanted.filter((agent) => COSTLY.includes(agent)) : []),
  ...chaosCases.filter(({ id }) => asked.includes(id)).flatMap(({ agents = [] }) => agents),
]);
const { folders, missing } = await install([...needed]);
const present = wanted.filter((agent) => !missing.includes(agent));
const place = {
  path: pathWith(folders, process.env.PATH ?? ''),
  warm: join(scratch, 'warm'),
  isBuilt: values.sources !== true,
};
const pool = { isolation, scratch, atOnce: Number(values.workers ?? WORKERS), limitMs: JOB_LIMIT_MS };
const played = await playRounds();
const tried = await tryCases();
report();

async function playRounds(): Promise<RoundOutcome[]> {
  if (rounds === 0) return [];
  say(`${rounds} rounds, --seed ${seed}`);
  const chosen = chooseRounds({
    ...{ rounds, seed, ...(kind ? { kind } : {}) },
    costly: present.filter((agent) => COSTLY.includes(agent)),
    cheap: present.filter((agent) => CHEAP.includes(agent)),
  });
  return runJobs(
    chosen.map((round) => ({ ...round, ...place })),
    pool,
    {
      nameOf: (job) => `r${job.seed}`,
      read: (job, folder, printed: RoundOutcome | undefined, ended): RoundOutcome =>
        printed ?? { seed: job.seed, kind: job.kind ?? 'all', sessions: [], faults: [ended], ms: 0, story: [], folder },
      isKept: (outcome) => values.keep === true || !hasPassed(outcome),
      onOutcome: showRound,
    },
  );
}

/** One at a time: some of them measure. */
async function tryCases(): Promise<CaseOutcome[]> {
  return runJobs(
    asked.map((id) => ({ case: id, ...place })),
    { ...pool, atOnce: 1 },
    {
      nameOf: (job) => job.case,
      read: (job, folder, printed: CaseOutcome | undefined, ended): CaseOutcome =>
        printed ?? { id: job.case, ok: false, ms: 0, said: ended, folder },
      isKept: ({ ok }) => values.keep === true || !ok,
      onOutcome: showCase,
    },
  );
}

/** What cannot be installed is said, and counts as failed. */
async function install(agents: readonly string[]): Promise<{ folders: string[]; missing: string[] }> {
  const installed: string[] = [];
  const not: string[] = [];
  for (const agent of agents) {
    try {
      installed.push(...(await installCli(agentSetups[agent]!.cli, say)));
    } catch (error) {
      say(`${agent} cannot be installed: ${messageOf(error)}`);
      not.push(agent);
    }
  }
  return { folders: installed, missing: not };
}

function showRound(outcome: RoundOutcome): void {
  const ok = hasPassed(outcome);
  const agents = outcome.sessions.map(({ agent }) => agent).join(' ');
  say(`${ok ? 'ok    ' : 'not ok'} ${outcome.seed} ${outcome.kind}: ${agents} (${(outcome.ms / 1000).toFixed(1)} s)`);
  const faults = [...outcome.faults, ...outcome.sessions.flatMap((session) => session.faults)];
  for (const issue of faults) say(indent(issue, 7));
  if (!ok || values.story) for (const line of outcome.story) say(indent(line, 9));
  if (ok) return;
  // The costly agent of a round follows from its place among all, so alone it has to be named.
  const costly = outcome.sessions.filter(({ agent }) => COSTLY.includes(agent)).map(({ agent }) => agent);
  const names = [...new Set([...costly, ...present.filter((agent) => CHEAP.includes(agent))])].join(',');
  const again = `--rounds 1 --seed ${outcome.seed} --kind ${outcome.kind} --agents ${names}`;
  say(indent(`again: npm run test:chaos -- ${again}\nits folder: ${outcome.folder}`, 7));
}

function showCase({ id, ok, ms, said, folder }: CaseOutcome): void {
  say(`${ok ? 'ok    ' : 'not ok'} ${id} (${(ms / 1000).toFixed(1)} s)${ok && said ? `: ${said}` : ''}`);
  if (!ok) say(indent(`${said}\nagain: npm run test:chaos -- --case ${id}\nits folder: ${folder}`, 7));
}

function report(): never {
  const badRounds = played.filter((outcome) => !hasPassed(outcome)).length;
  const badCases = tried.filter(({ ok }) => !ok).length;
  const failed = badRounds + badCases + missing.length;
  if (badRounds + badCases > 0) isKept = true;
  if (played.length > 0) console.log(`\n${roundTable(played)}\n`);
  const seeded = played.length > 0 ? `; seed ${seed}` : '';
  console.log(`${isolation.summary}${seeded}; ${((performance.now() - started) / 1000).toFixed(0)} s`);
  for (const agent of missing) console.log(`${agent} could not be installed: counted as failed`);
  console.log(`${played.length + tried.length - badRounds - badCases} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

function indent(text: string, width: number): string {
  return text.replace(/^/gm, ' '.repeat(width));
}

function say(text: string): void {
  console.error(text);
}

function fail(text: string): never {
  console.error(`test-chaos: ${text}`);
  process.exit(2);
}
