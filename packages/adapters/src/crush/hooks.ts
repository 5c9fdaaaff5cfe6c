import type { HookSpec } from '@agent-mux/core';
import { readClaudeHook } from '../shared/claude-hooks.ts';

/** From its source: it has only this event, so a session is only seen active, never idle. */
export const HOOKS: HookSpec = {
  events: [{ name: 'PreToolUse' }],
  // Next to crush.json, which is the project's; the lists of both apply.
  file: { shape: 'json-flat', path: '.crush.json', under: ['hooks'], entry: (command) => ({ command, timeout: 10 }) },
  read: readClaudeHook,
};
