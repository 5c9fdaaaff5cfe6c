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
import type { VerifyCase } from '../verify-case.ts';

/** On a busy machine reporters, which run detached, are slow too. */
const WAIT_MS = 120_000;

/** The checked fields of a session of the daemon. */
interface Row {
  id: string;
  agent: string;
  agentSessionId: string | null;
  title: string | null;
  summary: string | null;
  activity: string;
  cwd: string;
  turns: number;
}

/**
 * The CLI as people run it, in a workspace with hooks: their reports reach a daemon, even one that is started later.
 */
export const hooksCase: VerifyCase = {
  id: 'hooks',
  carrier: 'process',
  title: 'unmanaged sessions in a workspace with hooks are reported once each: active, done, with title and summary',
  rank: 'essential',
  shows: [],
  ofAgent: true,
  ofProject: true,
  timeoutMs: 480_000,
  needs: (_, setup, adapter) => adapter.hooks !== undefined && setup.unmanaged !== undefined,
  async run(bench) {
    if (bench.setup.unmanaged!.inRepository) execFileSync('git', ['init', '--quiet'], { cwd: bench.cwd });
    const { changed, installed } = await bench.client.hooks.install(bench.agent, { cwd: bench.cwd });
    assert.deepEqual({ changed, installed }, { changed: true, installed: true });
    for (const [name, text] of Object.entries(bench.setup.unmanaged!.files ?? {})) bench.put(name, text);
    await reportedByRun(bench);
    await beforeDaemon(bench);
    const daemon = await startDaemonOf(bench);
    try {
      const first = await reportedLater(bench, daemon);
      await reportedNow(bench, daemon, first);
    } finally {
      daemon.child?.kill('SIGTERM');
    }
  },
};

/** One run through agent-mux, with hooks and without any hook file in its folder. */
async function reportedByRun(bench: Bench): Promise<void> {
  if (!bench.hooks?.forRun) return;
  const cwd = bench.siblingFolder('run');
  const state = bench.siblingFolder('state-of-run');
  bench.replies(useTool(bench), RUN.answer);
  const env = { PATH: pathWithAmux(bench), XDG_STATE_HOME: state, AGENT_MUX_SESSION_ID: 'the-session-of-this-run' };
  const run = (await bench.run({ prompt: RUN.prompt, cwd, hooks: true, env })).completed(RUN.answer);
  // A run ends its child processes: the last reports may be lost, but its stream has the same events.
  const reports = await waitFor('the hooks of a run have reported activity', WAIT_MS, () => {
    const seen = readSpool(bench, state);
    return seen.some((report) => report.state === 'active') && seen;
  });
  for (const report of reports) assert.equal(report.agentSessionId, run.sessionId, JSON.stringify(report));
  assert.deepEqual(readdirSync(cwd), []);
}

const RUN = { prompt: 'Say hello from a run.', answer: 'Hello from a run.' };
const EARLY = { prompt: 'Say hello before the daemon.', answer: 'The daemon is not running yet.' };
const LATE = { prompt: 'Say hello to the daemon.', answer: 'Hello to the daemon.' };

/** Without a daemon: the agent does not notice, and all reports are stored. */
async function beforeDaemon(bench: Bench): Promise<void> {
  bench.replies(useTool(bench), EARLY.answer);
  await runUnmanaged(bench, EARLY.prompt);
  const reports = await waitFor('the hooks have reported the end', WAIT_MS, () => {
    const seen = readSpool(bench);
    return seen.some(({ state }) => state === 'idle' || state === 'exited') && seen;
  });
  assert.ok(
    reports.some(({ state }) => state === 'active'),
    `no report of work: ${JSON.stringify(reports)}`,
  );
}

async function reportedLater(bench: Bench, daemon: RunningDaemon): Promise<Row> {
  const row = await waitFor('the earlier reports are applied', WAIT_MS, async () =>
    (await rowsOf(bench, daemon)).find(isDone(bench, EARLY)),
  );
  await checkRow(bench, row);
  return row;
}

async function reportedNow(bench: Bench, daemon: RunningDaemon, first: Row): Promise<void> {
  const held = Promise.withResolvers<string>();
  let asked = 0;
  bench.script(() => (asked++ === 0 ? useTool(bench) : held.promise));
  const running = runUnmanaged(bench, LATE.prompt);
  const second = async () => (await rowsOf(bench, daemon)).find(({ id }) => id !== first.id);
  try {
    await Promise.race([
      waitFor('it is active', WAIT_MS, async () => (await second())?.activity === 'active' && asked > 1),
      running.then(() => assert.fail('it ended before it was active')),
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
    rows.map(() => (bench.setup.unmanaged?.promptUnreported ? 0 : 1)),
    'each prompt is counted once',
  );
  assert.equal(rows.length, 2, `two sessions, not ${JSON.stringify(rows)}`);
}

function isDone(bench: Bench, { prompt, answer }: typeof EARLY): (row: Row | undefined) => row is Row {
  const { promptUnreported, answerUnreported, answerRepeated } = bench.setup.unmanaged!;
  const isReported = (seen: string | null) => (answerRepeated ? seen?.startsWith(answer) === true : seen === answer);
  return (row): row is Row =>
    (row?.activity === 'idle' || row?.activity === 'exited') &&
    row.title === (promptUnreported ? null : prompt) &&
    (answerUnreported ? row.summary === null : isReported(row.summary));
}

/** By its own id it is found where the agent stores its sessions. */
async function checkRow(bench: Bench, { agent, cwd, agentSessionId }: Row): Promise<void> {
  assert.deepEqual({ agent, cwd }, { agent: bench.agent, cwd: realpathSync(bench.cwd) });
  const { sessions } = await bench.client.sessions.list({ agents: [bench.agent], cwd: bench.cwd });
  const ids = sessions.map(({ sessionId }) => sessionId);
  assert.ok(agentSessionId !== null && ids.includes(agentSessionId), `${agentSessionId} is none of ${ids.join(', ')}`);
}

function useTool(bench: Bench): Reply {
  return bench.shell('true');
}

async function rowsOf(bench: Bench, daemon: RunningDaemon): Promise<Row[]> {
  const { sessions } = await call<{ sessions: Row[] }>(daemon, 'GET', '/sessions');
  return sessions.filter(({ agent }) => agent === bench.agent);
}

/** Complete reports that no daemon has consumed, as the adapter reads them. */
function readSpool(bench: Bench, state = stateOf(bench)): HookReport[] {
  const spool = join(state, 'agent-mux', 'hooks', 'spool');
  return list(spool).flatMap((name): HookReport[] => {
    try {
      const { agent, event, payload } = JSON.parse(readFileSync(join(spool, name), 'utf8'));
      assert.equal(agent, bench.agent);
      return [bench.hooks?.read(event, payload === '' ? {} : JSON.parse(payload)) ?? {}];
    } catch (error) {
      // Consumed by the daemon meanwhile.
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
  assert.ok(bench.commands, 'this case needs a daemon');
  const env = { ...bench.env, XDG_STATE_HOME: stateOf(bench), AGENT_MUX_PORT: '0' };
  return startDaemon(bench.commands.daemon, env, join(bench.folder, 'daemon.log'), WAIT_MS);
}

/** Without a terminal, with `amux` on the PATH and outside agent-mux. */
async function runUnmanaged(bench: Bench, prompt: string): Promise<void> {
  const { args, stdin, env } = bench.setup.unmanaged!;
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
  assert.ok(bench.commands, 'this case needs amux');
  const { command, args } = bench.commands.amux;
  const folder = bench.siblingFolder('bin');
  const path = join(folder, 'amux');
  writeFileSync(path, `#!/bin/sh\nexec ${[command, ...args].map((word) => `'${word}'`).join(' ')} "$@"\n`);
  chmodSync(path, 0o755);
  return [folder, bench.env.PATH].join(delimiter);
}
