import type { HookSpec } from '@agent-mux/core';
import { ALL_TOOLS, readClaudeHook } from '../shared/claude-hooks.ts';

export const HOOKS: HookSpec = {
  events: [
    { name: 'SessionStart' },
    { name: 'UserPromptSubmit' },
    { name: 'PreToolUse', matcher: ALL_TOOLS },
    { name: 'PostToolUse', matcher: ALL_TOOLS },
    { name: 'Notification' },
    { name: 'Stop' },
    { name: 'SessionEnd' },
  ],
  // It does not read hooks in settings.local.json, and a hooks.json would disable those of settings.json (seen with
  // 0.215.0).
  file: { shape: 'json-groups', path: '.factory/settings.json', under: ['hooks'], timeout: 10 },
  trust: 'If the workspace has a .factory/hooks.json, Droid reads hooks only from there and does not run these.',
  read: readClaudeHook,
};
