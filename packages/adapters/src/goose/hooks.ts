import type { HookReport, HookSpec } from '@agent-mux/core';
import { readClaudeHook } from '../shared/claude-hooks.ts';
import type { Json } from '../shared/json.ts';

/** Hooks belong to a plugin; a folder in the workspace is one, and needs no manifest. */
export const HOOKS: HookSpec = {
  events: [
    { name: 'SessionStart' },
    { name: 'UserPromptSubmit' },
    { name: 'PreToolUse' },
    { name: 'PostToolUse' },
    { name: 'PostToolUseFailure' },
    { name: 'Stop' },
    { name: 'SessionEnd' },
  ],
  file: {
    shape: 'json-groups',
    path: '.agents/plugins/agent-mux/hooks/hooks.json',
    under: ['hooks'],
    timeout: 10,
  },
  read,
};

/** Claude Code's events with other fields. Other agents may read the same folder: their payloads have no `event`. */
function read(event: string, payload: Readonly<Json>): HookReport {
  const { event: named, message, working_dir: cwd, ...rest } = payload;
  return named === event ? readClaudeHook(event, { ...rest, prompt: message, cwd }) : {};
}
