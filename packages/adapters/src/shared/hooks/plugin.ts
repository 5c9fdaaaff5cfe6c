import type { HookReport, HookState } from '@agent-mux/core';
import { type Json, word } from '../json.ts';

/**
 * The beginning of a plugin that an agent loads: `tell(event, payload)` starts the reporter in the folder of the session and
 * forgets it. Nobody waits for it and it never throws. The payload is a file that has lost its name: what is written to a pipe
 * is lost when the agent exits right after (Bun). Reporters overtake each other, so each is told when its event was.
 */
export function tellSource(agent: string, events: readonly string[], commandOf: (event: string) => string): string {
  const commands = Object.fromEntries(events.map((event) => [event, commandOf(event)]));
  return `// Tells agent-mux what ${agent} does here. \`amux hooks uninstall ${agent}\` removes it.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const COMMANDS = ${JSON.stringify(commands, null, 2)};
const LONGEST = 20000;
let last = 0;

const short = (text) => (typeof text === 'string' ? text.slice(0, LONGEST) : undefined);

function tell(event, payload) {
  let stdin;
  try {
    last = Math.max(Date.now(), last + 0.001);
    const env = { ...process.env, ${TIME_VARIABLE}: String(last) };
    const file = join(tmpdir(), 'amux-hook-' + randomUUID());
    writeFileSync(file, JSON.stringify(payload), { flag: 'wx', mode: 0o600 });
    stdin = openSync(file, 'r');
    unlinkSync(file);
    const stdio = [stdin, 'ignore', 'ignore'];
    const child = spawn(COMMANDS[event], { shell: true, cwd: payload.cwd, env, stdio, detached: true, windowsHide: true });
    child.on('error', () => {});
    child.unref();
  } catch {}
  try {
    if (stdin !== undefined) closeSync(stdin);
  } catch {}
}
`;
}

/** When the event was, in milliseconds since the epoch with parts of one: the reporter takes it for the time of its call. */
const TIME_VARIABLE = 'AGENT_MUX_HOOK_TIME';

/** `amux hooks <agent> <event>`, as it is found on the PATH of whoever runs the agent. */
export function installedCommand(agent: string): (event: string) => string {
  return (event) => `amux hooks ${agent} ${event}`;
}

/** What a plugin of ours tells, and the state that an event stands for. */
export function readTold(states: Readonly<Record<string, HookState>>, event: string, payload: Json): HookReport {
  const state = Object.hasOwn(states, event) ? states[event] : undefined;
  const told = {
    agentSessionId: word(payload.session_id),
    cwd: word(payload.cwd),
    prompt: word(payload.prompt),
    answer: word(payload.last_assistant_message),
    model: word(payload.model),
  };
  const said = Object.entries(told).filter(([, value]) => value !== undefined);
  return { ...(state ? { state } : {}), ...Object.fromEntries(said) };
}
