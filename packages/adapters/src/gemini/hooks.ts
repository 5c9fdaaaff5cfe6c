import { join } from 'node:path';
import type { HookEvent, HookFacet, HookReport } from '@agent-mux/core';
import { ALL_TOOLS, groupsOf, notified, readClaudeHook, reportOf, words } from '../shared/claude-hooks.ts';
import type { Json } from '../shared/json.ts';

const DEFAULTS = 'hook-settings.json';
/** In milliseconds. */
const TIMEOUT = 10_000;

const EVENTS: readonly HookEvent[] = [
  { name: 'SessionStart' },
  { name: 'BeforeAgent' },
  { name: 'BeforeTool', matcher: ALL_TOOLS },
  { name: 'AfterTool', matcher: ALL_TOOLS },
  { name: 'Notification' },
  { name: 'AfterAgent' },
  { name: 'SessionEnd' },
];

export const HOOKS: HookFacet = {
  events: EVENTS,
  file: { shape: 'json-groups', path: '.gemini/settings.json', under: ['hooks'], timeout: TIMEOUT },
  trust:
    'Gemini CLI reads the settings of a folder that it trusts, and warns once of hooks that it has not seen before.',
  read,
  forRun: (commandOf, scratchDir) => ({
    env: { GEMINI_CLI_SYSTEM_DEFAULTS_PATH: join(scratchDir, DEFAULTS) },
    files: { [DEFAULTS]: JSON.stringify({ hooks: groupsOf(EVENTS, commandOf, TIMEOUT) }) },
  }),
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
