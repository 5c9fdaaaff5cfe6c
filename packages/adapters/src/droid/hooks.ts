import type { HookFacet } from '@agent-mux/core';
import { ALL_TOOLS, readClaudeHook } from '../shared/claude-hooks.ts';

/**
 * Droid 0.215 does not read `settings.local.json`, and a `hooks.json` would hide the hooks that people have in `settings.json`. `exec`
 * tells neither its prompt nor its answer.
 */
export const HOOKS: HookFacet = {
  events: [
    { name: 'SessionStart' },
    { name: 'UserPromptSubmit' },
    { name: 'PreToolUse', matcher: ALL_TOOLS },
    { name: 'PostToolUse', matcher: ALL_TOOLS },
    { name: 'Notification' },
    { name: 'Stop' },
    { name: 'SessionEnd' },
  ],
  file: { shape: 'json-groups', path: '.factory/settings.json', under: ['hooks'], timeout: 10 },
  read: readClaudeHook,
};
