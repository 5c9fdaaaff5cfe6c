import type { HookReport, HookSpec } from '@agent-mux/core';
import { reportOf, words } from '../shared/claude-hooks.ts';
import { type Json, list } from '../shared/json.ts';

/**
 * From its documentation, not tested. Hooks that decide a permission are left alone, since they must print an answer.
 */
export const HOOKS: HookSpec = {
  events: [
    { name: 'sessionStart' },
    { name: 'beforeSubmitPrompt' },
    { name: 'postToolUse' },
    { name: 'afterAgentResponse' },
    { name: 'stop' },
    { name: 'sessionEnd' },
  ],
  file: {
    shape: 'json-flat',
    path: '.cursor/hooks.json',
    under: ['hooks'],
    entry: (command) => ({ command }),
    fixed: { version: 1 },
  },
  trust: 'Cursor loads them in a workspace that it trusts.',
  read,
};

function read(event: string, payload: Readonly<Json>): HookReport {
  const [root] = list(payload.workspace_roots);
  const report = reportOf(payload.conversation_id ?? payload.session_id, { cwd: root, ...payload });
  // Grok Build runs these as well, and has its own hooks for its reports.
  if (report.agentSessionId === undefined) return {};
  switch (event) {
    case 'sessionStart':
      return { ...report, state: 'idle' };
    case 'beforeSubmitPrompt':
      return { ...report, ...words('prompt', payload.prompt), state: 'active' };
    case 'postToolUse':
      return { ...report, state: 'active' };
    case 'afterAgentResponse':
      return { ...report, ...words('answer', payload.text) };
    case 'stop':
      return { ...report, state: 'idle' };
    case 'sessionEnd':
      return { ...report, state: 'exited' };
    default:
      return report;
  }
}
