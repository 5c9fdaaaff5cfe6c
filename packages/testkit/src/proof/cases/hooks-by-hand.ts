import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { HookReport } from '@agent-mux/core';
import { call } from '../../chaos/drive/api.ts';
import { type RunningDaemon, startDaemon } from '../../chaos/drive/daemon-process.ts';
import { waitFor } from '../../chaos/drive/wait.ts';
import type { Reply } from '../../model/index.ts';
import type { Bench } from '../bench.ts';
import type { ProofCase } from '../proof-case.ts';

/** On a busy machine reporters, which nobody waits for, take their time too. */
const WAIT_MS = 120_000;

/** What is looked at of a session of the daemon. */
interface Row {
  id: string;
  agent: string;
  nativeId: string | null;
  title: string | null;
  summary: string | null;
  activity: string;
  cwd: string;
  turns: number;
}

/** The CLI as people run it, in a workspace with hooks: what they tell reaches a daemon, also one that is started later. */
export const hooksCase: ProofCase = {
  id: 'hooks',
  carrier: 'process',
  title: 'run by hand in a workspace with hooks, its sessions are seen: at work, done, named and summed up, each once',
  rank: 'essential',
  shows: [],
  ofAgent: true,
  ofProject: true,
  timeoutMs: 480_000,
  needs: (_, proof, adapter) => adapter.hooks !== undefined && proof.byHand !== undefined,
  async run(bench) {
    if (bench.proof.byHand!.inRepository) execFileSync('git', ['init', '--quiet'], { cwd: bench.cwd });
    const { changed, installed } = await bench.client.hooks.install(bench.agent, { cwd: bench.cwd });
    assert.deepEqual({ changed, installed }, { changed: true, installed: true });
    for (const [name, text] of Object.entries(bench.proof.byHand!.files ?? {})) bench.put(name, text);
    await toldByRun(bench);
    await beforeDaemon(bench);
    const daemon = await startDaemonOf(bench);
    try {
      const first = await toldLater(bench, daemon);
      await toldNow(bench, daemon, first);
    } finally {
      daemon.child?.kill('SIGTERM');
    }
  },
};

/** One run through agent-mux, with hooks and without any file of them in its folder. */
async function toldByRun(bench: Bench): Promise<void> {
  if (!bench.hooks?.forRun) return;
  const cwd = bench.folderBeside('elsewhere');
  const state = bench.folderBeside('state-of-run');
  bench.replies(useTool(bench), RUN.answer);
  const env = { PATH: pathWithAmux(bench), XDG_STATE_HOME: state, AGENT_MUX_SESSION_ID: 'the-session-of-this-run' };
  const run = (await bench.run({ prompt: RUN.prompt, cwd, hooks: true, env })).completed(RUN.answer);
  // With the process of a run goes what that has started: what is told at its very end may be lost, and its stream has told it.
  const reports = await waitFor('the hooks of a run have told of its work', WAIT_MS, () => {
    const told = readSpool(bench, state);
    return told.some((report) => report.state === 'active') && told;
  });
  for (const report of reports) assert.equal(report.agentSessionId, run.sessionId, JSON.stringify(report));
  assert.deepEqual(readdirSync(cwd), []);
}

const RUN = { prompt: 'Say hello from a run.', answer: 'Hello from a run.' };
const EARLY = { prompt: 'Say hello to nobody.', answer: 'There is nobody yet.' };
const LATE = { prompt: 'Say hello to the daemon.', answer: 'Hello to the daemon.' };

/** Nobody hears of it: the agent does not notice, and all that it told is kept. */
async function beforeDaemon(bench: Bench): Promise<void> {
  bench.replies(useTool(bench), EARLY.answer);
  await runByHand(bench, EARLY.prompt);
  const reports = await waitFor('the hooks have told the end', WAIT_MS, () => {
    const told = readSpool(bench);
    return told.some(({ state }) => state === 'idle' || state === 'exited') && told;
  });
  assert.ok(
    reports.some(({ state }) => state === 'active'),
    `no report of work: ${JSON.stringify(reports)}`,
  );
}

async function toldLater(bench: Bench, daemon: RunningDaemon): Promise<Row> {
  const row = await waitFor('what was told before the daemon is there', WAIT_MS, async () =>
    (await rowsOf(bench, daemon)).find(isDone(bench, EARLY)),
  );
  await checkRow(bench, row);
  return row;
}

async function toldNow(bench: Bench, daemon: RunningDaemon, first: Row): Promise<void> {
  const held = Promise.withResolvers<string>();
  let asked = 0;
  bench.script(() => (asked++ === 0 ? useTool(bench) : held.promise));
  const running = runByHand(bench, LATE.prompt);
  const second = async () => (await rowsOf(bench, daemon)).find(({ id }) => id !== first.id);
  try {
    await Promise.race([
      waitFor('it is seen at work', WAIT_MS, async () => (await second())?.activity === 'active' && asked > 1),
      running.then(() => assert.fail('it ended before it was seen at work')),
    ]);
  } finally {
    held.resolve(LATE.answer);
    await running;
  }
  await checkRow(
    bench,
    await waitFor('its end is seen', WAIT_MS, async () => [await second()].find(isDone(bench, LATE))),
  );
  await waitFor('all reports are taken', WAIT_MS, () => readSpool(bench).length === 0);
  const rows = await rowsOf(bench, daemon);
  assert.deepEqual(
    rows.map(({ turns }) => turns),
    rows.map(() => (bench.proof.byHand?.promptUntold ? 0 : 1)),
    'each prompt is counted once',
  );
  assert.equal(rows.length, 2, `two sessions, not ${JSON.stringify(rows)}`);
}

function isDone(bench: Bench, { prompt, answer }: typeof EARLY): (row: Row | undefined) => row is Row {
  const { promptUntold, answerUntold, answerRepeated } = bench.proof.byHand!;
  const isTold = (told: string | null) => (answerRepeated ? told?.startsWith(answer) === true : told === answer);
  return (row): row is Row =>
    (row?.activity === 'idle' || row?.activity === 'exited') &&
    row.title === (promptUntold ? null : prompt) &&
    (answerUntold ? row.summary === null : isTold(row.summary));
}

/** By its own id it is found where the agent keeps its sessions. */
async function checkRow(bench: Bench, { agent, cwd, nativeId }: Row): Promise<void> {
  assert.deepEqual({ agent, cwd }, { agent: bench.agent, cwd: realpathSync(bench.cwd) });
  const { sessions } = await bench.client.sessions.list({ agents: [bench.agent], cwd: bench.cwd });
  const ids = sessions.map(({ sessionId }) => sessionId);
  assert.ok(nativeId !== null && ids.includes(nativeId), `${nativeId} is none of ${ids.join(', ')}`);
}

function useTool(bench: Bench): Reply {
  return bench.shell('true');
}

async function rowsOf(bench: Bench, daemon: RunningDaemon): Promise<Row[]> {
  const { sessions } = await call<{ sessions: Row[] }>(daemon, 'GET', '/sessions');
  return sessions.filter(({ agent }) => agent === bench.agent);
}

/** Whole reports that no daemon has taken, as the adapter reads them. */
function readSpool(bench: Bench, state = stateOf(bench)): HookReport[] {
  const spool = join(state, 'agent-mux', 'hooks', 'spool');
  return list(spool).flatMap((name): HookReport[] => {
    try {
      const { agent, event, payload } = JSON.parse(readFileSync(join(spool, name), 'utf8'));
      assert.equal(agent, bench.agent);
      return [bench.hooks?.read(event, payload === '' ? {} : JSON.parse(payload)) ?? {}];
    } catch (error) {
      // Taken by the daemon meanwhile.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  });
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function stateOf({ home }: Bench): string {
  return join(home, '.local', 'state');
}

async function startDaemonOf(bench: Bench): Promise<RunningDaemon> {
  assert.ok(bench.commands, 'there is no daemon here');
  const env = { ...bench.env, XDG_STATE_HOME: stateOf(bench), AGENT_MUX_PORT: '0' };
  return startDaemon(bench.commands.daemon, env, join(bench.folder, 'daemon.log'), WAIT_MS);
}

/** Without a terminal, with `amux` on the PATH and nothing of agent-mux around it. */
async function runByHand(bench: Bench, prompt: string): Promise<void> {
  const { args, stdin, env } = bench.proof.byHand!;
  const child = spawn(bench.cliCommand, args(prompt, realpathSync(bench.cwd)), {
    cwd: bench.cwd,
    env: { ...bench.env, ...bench.runEnv, ...env, PATH: pathWithAmux(bench) },
    stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    timeout: WAIT_MS * 2,
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (data) => {
      said += String(data);
    });
  child.stdin?.end(prompt);
  const code = await new Promise<number | string | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode, signal) => resolve(exitCode ?? signal));
  });
  assert.equal(code, 0, `${bench.cliCommand} ended with ${code}: ${said.slice(-1000)}`);
}

function pathWithAmux(bench: Bench): string {
  assert.ok(bench.commands, 'there is no amux here');
  const { command, args } = bench.commands.amux;
  const folder = bench.folderBeside('bin');
  const path = join(folder, 'amux');
  writeFileSync(path, `#!/bin/sh\nexec ${[command, ...args].map((word) => `'${word}'`).join(' ')} "$@"\n`);
  chmodSync(path, 0o755);
  return [folder, bench.env.PATH].join(delimiter);
}
