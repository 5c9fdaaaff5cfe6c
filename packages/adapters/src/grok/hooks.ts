import type { HookFacet } from '@agent-mux/core';
import { readClaudeHook } from '../shared/claude-hooks.ts';

export const HOOKS: HookFacet = {
  events: [
    { name: 'SessionStart' },
    { name: 'UserPromptSubmit' },
    { name: 'PreToolUse' },
    { name: 'PostToolUse' },
    { name: 'Notification' },
    { name: 'Stop' },
    { name: 'SessionEnd' },
  ],
  file: { shape: 'json-groups', path: '.grok/hooks/agent-mux.json', under: ['hooks'], timeout: 10 },
  trust: 'Grok Build loads the hooks of a folder that it trusts.',
  read: readClaudeHook,
};
