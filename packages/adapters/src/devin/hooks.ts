import type { HookSpec } from '@agent-mux/core';
import { readClaudeHook } from '../shared/claude-hooks.ts';

/** From its documentation: Claude Code's events and payloads, in a file whose top level is the table of events. */
export const HOOKS: HookSpec = {
  events: [
    { name: 'SessionStart' },
    { name: 'UserPromptSubmit' },
    { name: 'PreToolUse' },
    { name: 'PostToolUse' },
    { name: 'PermissionRequest' },
    { name: 'Stop' },
    { name: 'SessionEnd' },
  ],
  file: { shape: 'json-groups', path: '.devin/hooks.v1.json', under: [], timeout: 10 },
  read: readClaudeHook,
};
