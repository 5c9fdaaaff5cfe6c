import type { HookReport, HookSpec } from '@agent-mux/core';
import { readClaudeHook } from '../shared/claude-hooks.ts';
import type { Json } from '../shared/json.ts';

export const HOOKS: HookSpec = {
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
  trust: 'Grok Build runs them in a trusted git repository: /hooks-trust, or once with --trust.',
  read,
};

/** Claude Code's events, with the fields in camel case. */
function read(event: string, payload: Readonly<Json>): HookReport {
  // The end of a subagent is not the end of its session.
  if (event === 'SessionEnd' && payload.subagentType !== undefined) return {};
  // On shutdown it sends another stop after the end of the session (seen with 1.0.41).
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
