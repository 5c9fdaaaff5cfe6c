import type { HookFacet, HookReport } from '@agent-mux/core';
import { readClaudeHook, words } from '../shared/claude-hooks.ts';
import type { Json } from '../shared/json.ts';

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
  trust: 'Grok Build loads the hooks of a git repository that it trusts: `/hooks-trust` once, or `--trust`.',
  read,
};

/** Claude's fields beside its own, but for the answer. When it shuts down it tells another stop behind the end (1.0.41). */
function read(event: string, payload: Readonly<Json>): HookReport {
  const report = readClaudeHook(event, payload);
  if (event !== 'Stop') return report;
  if (payload.reason === 'shutdown') return { ...report, state: 'exited' };
  return { ...report, ...words('answer', payload.lastAssistantMessage) };
}
