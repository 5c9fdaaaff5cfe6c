import type { HookFacet, HookReport } from '@agent-mux/core';
import { readClaudeHook } from '../shared/claude-hooks.ts';
import type { Json } from '../shared/json.ts';

export const HOOKS: HookFacet = {
  events: [
    { name: 'SessionStart' },
    { name: 'UserPromptSubmit' },
    { name: 'PreToolUse' },
    { name: 'PostToolUse' },
    { name: 'Notification' },
    { name: 'Stop' },
    { name: 'StopFailure' },
    { name: 'StopCancelled' },
    { name: 'SessionEnd' },
  ],
  file: { shape: 'json-groups', path: '.grok/hooks/agent-mux.json', under: ['hooks'], timeout: 10 },
  trust: 'Grok Build runs them in a git repository that it trusts: /hooks-trust, or once with --trust.',
  read,
};

/** Claude Code's events, with the fields in camel case. */
function read(event: string, payload: Readonly<Json>): HookReport {
  // That of a helper is not the end of the session that it helps.
  if (event === 'SessionEnd' && payload.subagentType !== undefined) return {};
  // When it shuts down it tells another stop behind the end of the session (seen with 1.0.41).
  const isEnd = event === 'Stop' && payload.reason === 'shutdown';
  const { sessionId, toolName, notificationType, lastAssistantMessage, ...rest } = payload;
  return readClaudeHook(isEnd ? 'SessionEnd' : event === 'StopCancelled' ? 'StopFailure' : event, {
    ...rest,
    session_id: sessionId,
    tool_name: toolName,
    notification_type: notificationType,
    last_assistant_message: lastAssistantMessage,
  });
}
