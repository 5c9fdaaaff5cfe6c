import type { HookReport, HookState } from '@agent-mux/core';
import { type Json, word } from '../json.ts';

/**
 * The start of a plugin that an agent loads: `send(event, payload)` starts the reporter in the folder of the session
 * without waiting for it, and never throws. The payload is an unlinked file: data in a pipe is lost when the agent
 * exits right after (Bun). Reporters may overtake each other, so each gets the time of its event.
 */
export function hookPluginSource(
  agent: string,
  events: readonly string[],
  commandOf: (event: string) => string,
): string {
  const commands = Object.fromEntries(events.map((event) => [event, commandOf(event)]));
  return `// Reports to agent-mux what ${agent} does here. \`amux hooks uninstall ${agent}\` removes it.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const COMMANDS = ${JSON.stringify(commands, null, 2)};
const LONGEST = 20000;
let last = 0;

const short = (text) => (typeof text === 'string' ? text.slice(0, LONGEST) : undefined);

function send(event, payload) {
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

/** Time of the event, in milliseconds since the epoch with fractions: the reporter uses it as the time of its call. */
const TIME_VARIABLE = 'AGENT_MUX_HOOK_TIME';

/** `amux hooks <agent> <event>`, found on the PATH of the user who runs the agent. */
export function installedCommand(agent: string): (event: string) => string {
  return (event) => `amux hooks ${agent} ${event}`;
}

/** The report of one of our plugins, with the state of its event. */
export function readHookCall(states: Readonly<Record<string, HookState>>, event: string, payload: Json): HookReport {
  const state = Object.hasOwn(states, event) ? states[event] : undefined;
  const report = {
    agentSessionId: word(payload.session_id),
    cwd: word(payload.cwd),
    prompt: word(payload.prompt),
    answer: word(payload.last_assistant_message),
    model: word(payload.model),
  };
  const said = Object.entries(report).filter(([, value]) => value !== undefined);
  return { ...(state ? { state } : {}), ...Object.fromEntries(said) };
}
