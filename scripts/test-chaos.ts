/**
 * `npm run test:chaos`: sessions of real agents on the scripted model, with processes killed at random, and an oracle that compares
 * what the store has with what the model has sent. `--rounds N` (default 20), `--seed S` plans them again, `--kind K` kills only that,
 * `--agents a,b` takes these, `--workers N` plays so many at once, `--keep` keeps all folders,
 * `--sources` runs the daemon from its sources and not as it was built, `--story` tells of each round what was done when.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '@agent-mux/core';
import { agentProofs, pathWith } from '@agent-mux/testkit';
import {
  chooseRounds,
  hasPassed,
  KILL_KINDS,
  type KillKind,
  type RoundOutcome,
  roundTable,
} from '@agent-mux/testkit/chaos';
import { installCli } from './agents/install.ts';
import { findIsolation } from './agents/isolation.ts';
import { endWorkers, runJobs } from './chaos/run-jobs.ts';

const COSTLY = ['claude', 'codex', 'opencode', 'pi', 'gemini'];
const CHEAP = ['scripted', 'demo'];
/** A round has limits of its own; this one is for a worker that does not even keep those. */
const ROUND_LIMIT_MS = 6 * 60_000;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '20' },
    seed: { type: 'string' },
    kind: { type: 'string' },
    agents: { type: 'string' },
    workers: { type: 'string', default: '2' },
    keep: { type: 'boolean', default: false },
    sources: { type: 'boolean', default: false },
    story: { type: 'boolean', default: false },
  },
});
const started = performance.now();
const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed);
const kind = KILL_KINDS.find((one) => one === values.kind);
if (values.kind !== undefined && !kind) fail(`--kind is one of ${KILL_KINDS.join(', ')}`);
const wanted = values.agents?.split(',') ?? [...COSTLY, ...CHEAP];
const unknown = wanted.filter((agent) => ![...COSTLY, ...CHEAP].includes(agent));
if (unknown.length > 0) fail(`--agents knows ${[...COSTLY, ...CHEAP].join(', ')}, not ${unknown.join(', ')}`);

const isolation = findIsolation();
const scratch = mkdtempSync(join(tmpdir(), 'amux-chaos-'));
let isKept = values.keep;
process.once('exit', () => {
  if (!isKept) rmSync(scratch, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    endWorkers();
    process.exit(130);
  });
}

const { folders, missing } = await install(wanted.filter((agent) => COSTLY.includes(agent)));
const present = wanted.filter((agent) => !missing.includes(agent));
const path = pathWith(folders, process.env.PATH ?? '');
const rounds = chooseRounds({
  ...{ rounds: Number(values.rounds), seed, ...(kind ? { kind } : {}) },
  costly: present.filter((agent) => COSTLY.includes(agent)),
  cheap: present.filter((agent) => CHEAP.includes(agent)),
});
say(`${rounds.length} rounds, --seed ${seed}`);
const outcomes = await runJobs(
  rounds.map((round) => ({ ...round, path, warm: join(scratch, 'warm'), isBuilt: !values.sources })),
  { isolation, scratch, atOnce: Number(values.workers), limitMs: ROUND_LIMIT_MS },
  {
    worker: 'worker.ts',
    nameOf: (job) => `r${job.seed}`,
    read: (job, folder, printed, ended): RoundOutcome => readOutcome(printed) ?? brokenRound(job, folder, ended),
    isKept: (outcome) => values.keep || !hasPassed(outcome),
    onOutcome: show,
  },
);
report();

/** What cannot be installed is said, and counts as failed. */
async function install(agents: readonly string[]): Promise<{ folders: string[]; missing: string[] }> {
  const installed: string[] = [];
  const not: string[] = [];
  for (const agent of agents) {
    try {
      installed.push(...(await installCli(agentProofs[agent]!.cli, say)));
    } catch (error) {
      say(`${agent} cannot be installed: ${messageOf(error)}`);
      not.push(agent);
    }
  }
  return { folders: installed, missing: not };
}

function readOutcome(printed: string): RoundOutcome | undefined {
  const line = printed.trim().split('\n').at(-1) ?? '';
  return line.startsWith('{') ? JSON.parse(line) : undefined;
}

function brokenRound(job: { seed: number; kind?: KillKind }, folder: string, ended: string): RoundOutcome {
  return { seed: job.seed, kind: job.kind ?? 'all', sessions: [], faults: [ended], ms: 0, story: [], folder };
}

function show(outcome: RoundOutcome): void {
  const agents = outcome.sessions.map(({ agent }) => agent).join(' ');
  say(
    `${hasPassed(outcome) ? 'ok    ' : 'not ok'} ${outcome.seed} ${outcome.kind}: ${agents} (${(outcome.ms / 1000).toFixed(1)} s)`,
  );
  if (values.story && hasPassed(outcome)) for (const line of outcome.story) say(`         ${line}`);
  if (hasPassed(outcome)) return;
  const faults = [...outcome.faults, ...outcome.sessions.flatMap((session) => session.faults)];
  for (const fault of faults) say(`       ${fault}`);
  for (const line of outcome.story) say(`         ${line}`);
  say(
    `       again: npm run test:chaos -- --rounds 1 --seed ${outcome.seed} --kind ${outcome.kind}${agentsFlag(outcome)}; its folder: ${outcome.folder}`,
  );
}

/** The costly agent of a round follows from its place among all, so alone it has to be named. */
function agentsFlag({ sessions }: RoundOutcome): string {
  const costly = sessions.find(({ agent }) => COSTLY.includes(agent));
  return ` --agents ${[...(costly ? [costly.agent] : []), ...present.filter((agent) => CHEAP.includes(agent))].join(',')}`;
}

function report(): never {
  const failed = outcomes.filter((outcome) => !hasPassed(outcome)).length + missing.length;
  if (failed > missing.length) isKept = true;
  console.log(`\n${roundTable(outcomes)}\n`);
  console.log(`${isolation.summary}; seed ${seed}; ${((performance.now() - started) / 1000).toFixed(0)} s`);
  for (const agent of missing) console.log(`${agent} could not be installed: counted as failed`);
  console.log(`${outcomes.length + missing.length - failed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

function say(text: string): void {
  console.error(text);
}

function fail(text: string): never {
  console.error(`test-chaos: ${text}`);
  process.exit(2);
}
