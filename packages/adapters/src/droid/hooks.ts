import type { HookFacet } from '@agent-mux/core';
import { ALL_TOOLS, readClaudeHook } from '../shared/claude-hooks.ts';

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
  // In settings.local.json they are not looked for, and a hooks.json would put those of settings.json out of use (seen with 0.215.0).
  file: { shape: 'json-groups', path: '.factory/settings.json', under: ['hooks'], timeout: 10 },
  trust: 'Where the workspace has a .factory/hooks.json, Droid takes hooks from there alone, and these are not run.',
  read: readClaudeHook,
};
