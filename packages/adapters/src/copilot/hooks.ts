import { join } from 'node:path';
import type { HookEvent, HookReport, HookSpec } from '@agent-mux/core';
import { notified, reportOf, words } from '../shared/claude-hooks.ts';
import type { Json } from '../shared/json.ts';

const PLUGIN = 'hook-plugin';

const EVENTS: readonly HookEvent[] = [
  { name: 'sessionStart' },
  { name: 'userPromptSubmitted' },
  { name: 'preToolUse' },
  { name: 'postToolUse' },
  { name: 'notification' },
  { name: 'agentStop' },
  { name: 'sessionEnd' },
];

/** One for each kind of shell; Copilot picks that of the system. */
const entry = (command: string) => ({ type: 'command', bash: command, powershell: command, timeoutSec: 10 });

export const HOOKS: HookSpec = {
  events: EVENTS,
  file: { shape: 'json-flat', path: '.github/hooks/agent-mux.json', under: ['hooks'], entry, fixed: { version: 1 } },
  trust: 'Copilot CLI loads them in a trusted folder; with -p it needs --trust-folder or COPILOT_ALLOW_ALL=true.',
  read,
  forRun: (commandOf, scratchDir) => {
    const hooks = Object.fromEntries(EVENTS.map(({ name }) => [name, [entry(commandOf(name))]]));
    const plugin = {
      name: 'agent-mux-hooks',
      version: '1.0.0',
      description: 'reports to agent-mux',
      hooks: 'hooks.json',
    };
    return {
      args: [`--plugin-dir=${join(scratchDir, PLUGIN)}`],
      files: {
        [`${PLUGIN}/plugin.json`]: JSON.stringify(plugin),
        [`${PLUGIN}/hooks.json`]: JSON.stringify({ version: 1, hooks }),
      },
    };
  },
};

/** `permissionRequest` is left alone: it also fires when no one is asked (seen with 1.0.102). */
function read(event: string, payload: Readonly<Json>): HookReport {
  const report = reportOf(payload.sessionId, payload);
  switch (event) {
    case 'sessionStart':
    case 'agentStop':
      return { ...report, state: 'idle' };
    case 'userPromptSubmitted':
      return { ...report, ...words('prompt', payload.prompt), state: 'active' };
    case 'preToolUse':
    case 'postToolUse':
      return { ...report, state: 'active' };
    case 'notification':
      return { ...report, ...notified(payload.notification_type ?? payload.notificationType) };
    case 'sessionEnd':
      return { ...report, state: 'exited' };
    default:
      return report;
  }
}
