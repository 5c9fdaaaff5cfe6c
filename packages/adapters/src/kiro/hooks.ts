import { HOOK_FILE_MARK, type HookFacet, type HookReport } from '@agent-mux/core';
import { readClaudeHook, words } from '../shared/claude-hooks.ts';
import { installedCommand } from '../shared/hooks/plugin.ts';
import type { Json } from '../shared/json.ts';

const EVENTS = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'];

/** By the documentation of release 3: files of their own, in a list without a place for anything but hooks. */
export const HOOKS: HookFacet = {
  events: EVENTS.map((name) => ({ name })),
  file: { shape: 'plugin', path: '.kiro/hooks/agent-mux.json', text: (agent) => textOf(installedCommand(agent)) },
  trust: 'Kiro CLI reads them since release 3. Earlier releases take hooks from the definition of an agent only.',
  read,
};

/** The mark is part of the names, because JSON has no comments. */
function textOf(commandOf: (event: string) => string): string {
  const hooks = EVENTS.map((event) =>
    JSON.stringify({
      name: `${event}, ${HOOK_FILE_MARK}`,
      trigger: event,
      action: { type: 'command', command: commandOf(event) },
      timeout: 10,
      enabled: true,
    }),
  );
  return `{ "version": "v1", "hooks": [\n${hooks.join(',\n')}\n] }\n`;
}

/** Claude Code's fields. A session id is not documented: without one the daemon knows the session by its process. */
function read(event: string, payload: Readonly<Json>): HookReport {
  const { session_id: id, assistant_response: answer, ...rest } = payload;
  const { agentSessionId: _, ...report } = readClaudeHook(event, {
    ...rest,
    session_id: 'unknown',
    last_assistant_message: answer,
  });
  return { ...report, ...words('agentSessionId', id) };
}
