import { type HookEvent, type HookReport, hookGroup } from '@agent-mux/core';
import { type Json, text } from './json.ts';

/** For hooks of every tool. */
export const ALL_TOOLS = '*';

/** Tools that ask the user something: until the tool has ended, the session waits for an answer. */
const ASKING_TOOLS = new Set(['AskUserQuestion', 'ExitPlanMode', 'ask_user_question', 'exit_plan_mode']);

/** Reports of Claude Code's hooks, and of agents with the same events and payloads. */
export function readClaudeHook(event: string, payload: Readonly<Json>): HookReport {
  const report = reportOf(payload.session_id, payload);
  // An agent that also runs these hooks, as Grok Build does, has other fields and its own hooks.
  if (report.agentSessionId === undefined) return {};
  switch (event) {
    case 'SessionStart':
      // A compaction in the middle of a turn starts the session again as well.
      return payload.source === 'compact' ? report : { ...report, state: 'idle' };
    case 'UserPromptSubmit':
      return { ...report, ...words('prompt', payload.prompt), state: 'active' };
    case 'PreToolUse':
      return { ...report, state: ASKING_TOOLS.has(text(payload.tool_name) ?? '') ? 'waiting_input' : 'active' };
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return { ...report, state: 'active' };
    case 'PermissionRequest':
      return { ...report, state: 'blocked' };
    case 'Notification':
      return { ...report, ...notified(payload.notification_type) };
    case 'Stop':
      return { ...report, ...words('answer', payload.last_assistant_message), state: 'idle' };
    case 'StopFailure':
      return { ...report, state: 'idle' };
    case 'SessionEnd':
      // `/clear` and similar commands end the session but not the agent: another one starts at once.
      return ['clear', 'resume'].includes(text(payload.reason) ?? '') ? report : { ...report, state: 'exited' };
    default:
      return report;
  }
}

/** Fields of nearly every payload. */
export function reportOf(sessionId: unknown, { cwd, model }: Readonly<Json>): HookReport {
  return { ...words('agentSessionId', sessionId), ...words('cwd', cwd), ...words('model', model) };
}

/** Notifications for users who look away. Other kinds do not affect the session's state. */
export function notified(kind: unknown): Pick<HookReport, 'state'> {
  const known = text(kind) ?? '';
  if (/permission/i.test(known)) return { state: 'blocked' };
  return /^(?:idle_prompt|elicitation|elicitation_dialog)$/.test(known) ? { state: 'waiting_input' } : {};
}

/** Empty text counts as none. */
export function words<Name extends keyof HookReport>(name: Name, value: unknown): { [Key in Name]?: string } {
  const said = text(value);
  return said === undefined || said === '' ? {} : ({ [name]: said } as { [Key in Name]?: string });
}

/** The table of all events, for a file or an argument of one run. */
export function groupsOf(
  events: readonly HookEvent[],
  commandOf: (event: string) => string,
  timeout?: number,
): Record<string, unknown[]> {
  return Object.fromEntries(events.map((event) => [event.name, [hookGroup(commandOf(event.name), event, timeout)]]));
}
