import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Session } from '@agent-mux/api';
import type { Step } from '@agent-mux/testkit';
import { expect } from 'vitest';
import { resolveHookPaths } from '../src/hooks/report.ts';
import type { HookPaths } from '../src/hooks/spool.ts';
import type { Machine } from './daemons.ts';

const REPORTER = fileURLToPath(new URL('../dist/hooks/reporter.js', import.meta.url));
const ADAPTER = fileURLToPath(new URL('./hooked-adapter.ts', import.meta.url));

export const HELLO_STEPS: Step[] = [
  {
    do: 'live',
    turns: [
      [
        { do: 'event', event: { type: 'text_delta', delta: 'hello from here' } },
        { do: 'event', event: { type: 'turn_end', status: 'completed' } },
      ],
    ],
  },
];

/** For the config file: an agent `fake` with hooks, and another one of the same kind. */
export function withHooks(steps: Step[] = HELLO_STEPS): Record<string, unknown> {
  return {
    adapters: [
      { from: ADAPTER, options: { steps } },
      { from: ADAPTER, options: { steps, agent: 'other' } },
    ],
  };
}

export interface Call {
  event: string;
  payload?: unknown;
  agent?: string;
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
}

interface Started extends Call {
  cwd: string;
  input?: 'pipe' | number;
  output?: 'pipe' | number;
}

export function startReporter(env: Record<string, string>, call: Started): ChildProcess {
  const { agent = 'fake', event, args = [], cwd, input = 'pipe', output = 'pipe' } = call;
  return spawn(process.execPath, [REPORTER, 'hooks', agent, event, ...args], {
    cwd,
    env: { ...env, ...call.env },
    stdio: [input, output, output],
  });
}

/** Runs a hook of an agent in a terminal; it prints nothing and exits with code 0, whatever happens. */
export async function callHook(machine: Pick<Machine, 'env' | 'work'>, call: Call): Promise<void> {
  const child = startReporter(machine.env, { cwd: machine.work, ...call });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
  child.stdin?.on('error', () => {});
  const { payload = {} } = call;
  child.stdin?.end(typeof payload === 'string' || payload instanceof Buffer ? payload : JSON.stringify(payload));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect({ code, output }).toEqual({ code: 0, output: '' });
}

/** An agent in a terminal: it calls a hook and then waits to be killed. */
export function startTerminalAgent(machine: Pick<Machine, 'env' | 'work'>, call: Call): ChildProcess {
  const { agent = 'fake', event, payload = {}, args = [] } = call;
  const script = `
    const command = ${JSON.stringify([REPORTER, 'hooks', agent, event, ...args])};
    const hook = require('node:child_process').spawn(process.execPath, command, { stdio: ['pipe', 'ignore', 'ignore'] });
    hook.stdin.end(${JSON.stringify(JSON.stringify(payload))});
    process.stdin.resume();
  `;
  const env = { ...machine.env, ...call.env };
  return spawn(process.execPath, ['-e', script], { cwd: machine.work, env, stdio: ['pipe', 'ignore', 'ignore'] });
}

export async function endTerminalAgent(agent: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => agent.once('close', resolve));
  agent.kill('SIGKILL');
  await gone;
}

/** Registers the workspace as the installer does. */
export function manage(
  { env, work }: Pick<Machine, 'env' | 'work'>,
  folder = work,
  agents = ['fake', 'other'],
): HookPaths {
  const paths = resolveHookPaths(env);
  mkdirSync(dirname(paths.workspaces), { recursive: true, mode: 0o700 });
  writeFileSync(paths.workspaces, JSON.stringify({ workspaces: { [folder]: agents } }));
  return paths;
}

/** Waits for exactly one matching session. */
export async function awaitSession(
  { client }: Pick<Machine, 'client'>,
  matches: (session: Session) => boolean,
): Promise<Session> {
  let found: Session[] = [];
  const check = async () => {
    found = (await client.sessions.list({ limit: 500 })).sessions.filter(matches);
    return found.length;
  };
  await expect.poll(check, { timeout: 40_000, interval: 50 }).toBe(1);
  return found[0]!;
}
