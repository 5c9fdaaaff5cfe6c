import type { HookFacet } from '@agent-mux/core';
import { readClaudeHook } from '../shared/claude-hooks.ts';

/** By its source: it has this one event, so that a session is only seen at work, and never at rest. */
export const HOOKS: HookFacet = {
  events: [{ name: 'PreToolUse' }],
  // Beside crush.json, which is the project's; lists of both count.
  file: { shape: 'json-flat', path: '.crush.json', under: ['hooks'], entry: (command) => ({ command, timeout: 10 }) },
  read: readClaudeHook,
};
