import type { HookReport, HookSpec } from '@agent-mux/core';
import { ALL_TOOLS, notified, readClaudeHook, reportOf, words } from '../shared/claude-hooks.ts';
import type { Json } from '../shared/json.ts';

/** In milliseconds. */
const TIMEOUT = 10_000;

export const HOOKS: HookSpec = {
  events: [
    { name: 'SessionStart' },
    { name: 'BeforeAgent' },
    { name: 'BeforeTool', matcher: ALL_TOOLS },
    { name: 'AfterTool', matcher: ALL_TOOLS },
    { name: 'Notification' },
    { name: 'AfterAgent' },
    { name: 'SessionEnd' },
  ],
  file: { shape: 'json-groups', path: '.gemini/settings.json', under: ['hooks'], timeout: TIMEOUT },
  trust: 'Gemini CLI reads the settings of a trusted folder, and warns once about new hooks.',
  read,
  // Needs a file: a replacement of the system settings must belong to root (seen with 0.61.0).
};

function read(event: string, payload: Readonly<Json>): HookReport {
  const report = reportOf(payload.session_id, payload);
  switch (event) {
    case 'BeforeAgent':
      return { ...report, ...words('prompt', payload.prompt), state: 'active' };
    case 'BeforeTool':
    case 'AfterTool':
      return { ...report, state: 'active' };
    case 'Notification':
      return { ...report, ...notified(payload.notification_type) };
    case 'AfterAgent':
      return { ...report, ...words('answer', payload.prompt_response), state: 'idle' };
    default:
      return readClaudeHook(event, payload);
  }
}
