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
  file: { shape: 'json-groups', path: '.factory/settings.local.json', under: ['hooks'], timeout: 10 },
  read: readClaudeHook,
};
