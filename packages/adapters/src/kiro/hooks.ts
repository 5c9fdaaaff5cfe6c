import { HOOK_FILE_MARKER, type HookReport, type HookSpec } from '@agent-mux/core';
import { readClaudeHook, words } from '../shared/claude-hooks.ts';
import { installedCommand } from '../shared/hooks/plugin.ts';
import type { Json } from '../shared/json.ts';

const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'];

/** From the documentation of release 3: separate files with a list of hooks and nothing else. */
export const HOOKS: HookSpec = {
  events: EVENTS.map((name) => ({ name })),
  file: { shape: 'plugin', path: '.kiro/hooks/agent-mux.json', text: (agent) => textOf(installedCommand(agent)) },
  trust: 'Kiro CLI reads them since release 3. Earlier releases read hooks only from agent definitions.',
  read,
};

/** The marker is part of the names, because JSON has no comments. */
function textOf(commandOf: (event: string) => string): string {
  const hooks = EVENTS.map((event) =>
    JSON.stringify({
      name: `${event}, ${HOOK_FILE_MARKER}`,
      trigger: event,
      action: { type: 'command', command: commandOf(event) },
      timeout: 10,
      enabled: true,
    }),
  );
  return `{ "version": "v1", "hooks": [\n${hooks.join(',\n')}\n] }\n`;
}

/**
 * Claude Code's fields. A session id is not documented: without one the daemon identifies the session by its process.
 */
function read(event: string, payload: Readonly<Json>): HookReport {
  const { session_id: id, assistant_response: answer, ...rest } = payload;
  const { agentSessionId: _, ...report } = readClaudeHook(event, {
    ...rest,
    session_id: 'unknown',
    last_assistant_message: answer,
  });
  return { ...report, ...words('agentSessionId', id) };
}
