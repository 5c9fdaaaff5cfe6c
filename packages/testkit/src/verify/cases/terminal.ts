import assert from 'node:assert/strict';
import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { call } from '../../chaos/drive/api.ts';
import { type RunningDaemon, startDaemon } from '../../chaos/drive/daemon-process.ts';
import { waitFor } from '../../chaos/drive/wait.ts';
import { type ModelRequest, type Reply, reply } from '../../model/index.ts';
import type { AgentSetup, VerifyTerminal } from '../agent-setup.ts';
import type { Bench } from '../bench.ts';
import { cleanEnvironment, prepareHome } from '../environment.ts';
import { processesWithHome } from '../processes.ts';
import { openScreenOf, type TerminalView } from '../terminal-view.ts';
import type { VerifyCase } from '../verify-case.ts';

/** Terminal UIs of CLIs that are compiled at each start, on a busy machine. */
const WAIT_MS = 120_000;
/** Time for a question to disappear after its answer. */
const ANSWERED_MS = 3000;

interface Row {
  id: string;
  activity: string;
  isTerminated: boolean;
  agentSessionId: string | null;
}

/** Prompts and answers; they share no words, since a screen shows both. */
const TURNS = [
  { prompt: 'Greet the reader of this screen.', answer: 'A fine day to you, onlooker.' },
  { prompt: 'And now say goodbye.', answer: 'Farewell until the curtain rises.' },
  { prompt: 'Are we still in the same talk?', answer: 'Indeed the thread is unbroken.' },
] as const;
const TOOL = { prompt: 'Make the file that I want.', answer: 'It is ready.' };

/** The agent's terminal UI, run by the daemon: verifies the arguments in the adapter. */
export const terminalCase: VerifyCase = {
  id: 'terminal',
  carrier: 'process',
  title: 'the terminal UI answers prompts and typed input, asks before it acts, exits, and resumes when reopened',
  shows: [],
  rank: 'essential',
  ofAgent: true,
  ofProject: true,
  timeoutMs: 400_000,
  needs: (_, setup, adapter) => adapter.terminal !== undefined && isShown(setup.terminal),
  async run(bench) {
    const terminal = bench.setup.terminal;
    assert.ok(isShown(terminal) && bench.commands, 'this case needs a terminal UI');
    const place = prepare(bench, terminal);
    const daemon = await startDaemon(bench.commands.daemon, place.env, join(bench.folder, 'daemon.log'), WAIT_MS);
    try {
      await show(bench, { daemon, terminal, cwd: place.cwd });
    } finally {
      daemon.child?.kill('SIGTERM');
    }
    await waitFor('nothing of it is left', WAIT_MS, () => processesWithHome(place.home).length === 0);
  },
};

function isShown(terminal: AgentSetup['terminal']): terminal is VerifyTerminal {
  return terminal !== undefined && typeof terminal !== 'string';
}

/** A separate home, like that of a person who has used the CLI here before: it is set up, and trusts the folder. */
function prepare(bench: Bench, { ready }: VerifyTerminal): { home: string; cwd: string; env: Record<string, string> } {
  const { setup, model } = bench;
  const home = realpathSync(bench.siblingFolder('home'));
  const cwd = realpathSync(bench.cwd);
  for (const name of setup.warmFolders ?? []) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    symlinkSync(join(bench.home, name), join(home, name));
  }
  const place = { modelUrl: model.url, home };
  prepareHome(setup, place, undefined);
  const { files = {}, env = {} } = ready?.({ ...place, cwd }) ?? {};
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const clean = cleanEnvironment(setup, place, bench.env.PATH ?? '');
  const state = { XDG_STATE_HOME: join(home, '.local', 'state'), AGENT_MUX_PORT: '0' };
  return { home, cwd, env: { ...clean, ...env, ...state } };
}

interface Stage {
  daemon: RunningDaemon;
  terminal: VerifyTerminal;
  cwd: string;
}

async function show(bench: Bench, { daemon, terminal, cwd }: Stage): Promise<void> {
  const { setup, facet } = bench;
  const [first, typed, later] = TURNS;
  bench.script((request) => answerTo(request, bench, cwd));
  const session = await call<Row>(daemon, 'POST', '/sessions', {
    agent: bench.agent,
    cwd,
    options: facet?.model ? { model: setup.model.name } : {},
    env: { ...bench.runEnv },
  });
  const open = () => openScreenOf(daemon, session.id, WAIT_MS);
  const row = () => call<Row>(daemon, 'GET', `/sessions/${session.id}`);
  const begin = (prompt?: string) =>
    call(daemon, 'POST', `/sessions/${session.id}/terminal`, { cols: 100, rows: 40, ...(prompt ? { prompt } : {}) });

  await begin(first.prompt);
  const screen = await open();
  await screen.shows(terminal.shows);
  await screen.shows(first.answer);
  await screen.say(typed.prompt);
  await screen.shows(typed.answer);
  if (terminal.asks) await allow(screen, terminal.asks, join(cwd, FILE));
  const { model } = bench.request(0);
  if (facet?.model) assert.equal(model, setup.model.seen, 'the model that was asked for');
  await leave(screen, terminal.leave, daemon, session.id);
  const ended = await waitFor('its end is seen', WAIT_MS, async () => {
    const seen = await row();
    return seen.isTerminated && seen.activity === 'exited' && seen;
  });
  if (!facet?.resume) return;
  assert.ok(ended.agentSessionId, 'the id of what it has stored is known');

  const before = bench.requests.length;
  const isTyped = facet.resumesWithPrompt === false;
  await begin(isTyped ? undefined : later.prompt);
  const again = await open();
  if (isTyped) {
    await again.shows(typed.answer);
    await again.say(later.prompt);
  }
  await again.shows(later.answer);
  const asked = bench.requests.slice(before).find(({ prompt }) => prompt.includes(later.prompt));
  const heard = asked?.messages.map(({ text }) => text).join('\n') ?? '';
  for (const known of [first.prompt, typed.answer]) assert.ok(heard.includes(known), `the model did not get: ${known}`);
  await call(daemon, 'POST', `/sessions/${session.id}/stop`, {});
  const stopped = await row();
  assert.deepEqual(
    { isTerminated: stopped.isTerminated, activity: stopped.activity, agentSessionId: stopped.agentSessionId },
    { isTerminated: true, activity: 'exited', agentSessionId: ended.agentSessionId },
  );
}

const FILE = 'asked-for.txt';

function answerTo({ prompt, toolResults }: ModelRequest, bench: Bench, cwd: string): Reply | string {
  if (prompt.includes(TOOL.prompt)) return toolResults.length === 0 ? wantsFile(bench, cwd) : TOOL.answer;
  return TURNS.findLast((turn) => prompt.includes(turn.prompt))?.answer ?? 'What else?';
}

/** Not a command that an agent could consider harmless. */
function wantsFile({ setup }: Bench, cwd: string): Reply {
  const asks = isShown(setup.terminal) ? setup.terminal.asks : undefined;
  const { name, input } = (asks?.call ?? setup.shellTool)(`sh -c "echo made > ${join(cwd, FILE)}"`);
  return reply.toolCall(name, input);
}

/** Nothing happens before a person approves it on the screen. */
async function allow(screen: TerminalView, { question, keys }: NonNullable<VerifyTerminal['asks']>, file: string) {
  await screen.say(TOOL.prompt);
  await screen.shows(question);
  assert.ok(!existsSync(file), 'it ran without approval');
  // A new question may not accept keys yet.
  await waitFor('the question is answered', WAIT_MS, async () => {
    for (const key of keys) await screen.type(key);
    await sleep(ANSWERED_MS);
    return !(await screen.sees(question));
  });
  await screen.shows(TOOL.answer);
  assert.ok(existsSync(file), 'the approved command did not run');
}

async function leave(screen: TerminalView, keys: VerifyTerminal['leave'], daemon: RunningDaemon, id: string) {
  if (keys === undefined) await call(daemon, 'POST', `/sessions/${id}/stop`, {});
  else for (const key of keys) await screen.type(key);
  await screen.ends();
}
