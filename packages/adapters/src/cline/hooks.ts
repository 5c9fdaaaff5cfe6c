import type { HookEvent, HookReport, HookSpec, HookState } from '@agent-mux/core';
import { type Json, record, texts, word } from '../shared/json.ts';

/**
 * Cline CLI 3.0.65, which runs a script for each event, from `.cline/hooks` as well as `.clinerules/hooks`. A run
 * without a terminal reports neither its prompt nor its end. `--hooks-dir` has no effect, so hooks need files.
 */
const STATES: Readonly<Record<string, HookState>> = {
  TaskStart: 'active',
  TaskResume: 'active',
  UserPromptSubmit: 'active',
  PreToolUse: 'active',
  TaskComplete: 'idle',
  TaskError: 'idle',
  TaskCancel: 'idle',
  SessionShutdown: 'exited',
};
const EVENTS: readonly HookEvent[] = Object.keys(STATES).map((name) => ({ name }));
export const HOOKS: HookSpec = {
  events: EVENTS,
  file: { shape: 'scripts', folder: '.cline/hooks', fileOf, text },
  read,
};

/** Files of one event may have several extensions: a script of the user has another one. */
function fileOf({ name }: HookEvent): string {
  return `${name}.bash`;
}

/** Its output would be parsed as a command. */
function text(command: string): string {
  return `#!/bin/sh\n${command} >/dev/null 2>&1 || true\n`;
}

function read(event: string, payload: Json): HookReport {
  const agentSessionId = word(record(payload.sessionContext).rootSessionId);
  // A subagent: its parent continues.
  if (word(payload.parent_agent_id) !== undefined) return agentSessionId ? { agentSessionId } : {};
  const state = Object.hasOwn(STATES, event) ? STATES[event] : undefined;
  const report = {
    agentSessionId,
    cwd: texts(payload.workspaceRoots)[0],
    prompt: word(record(payload.userPromptSubmit).prompt),
    answer: word(record(payload.turn).outputText),
  };
  const said = Object.entries(report).filter(([, value]) => value !== undefined);
  return { ...(state ? { state } : {}), ...Object.fromEntries(said) };
}
