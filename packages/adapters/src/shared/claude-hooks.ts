import { type HookEvent, type HookReport, hookGroup } from '@agent-mux/core';
import { type Json, text } from './json.ts';

/** For hooks of every tool. */
export const ALL_TOOLS = '*';

/** Those that ask the user something by themselves: until the tool has ended, an answer is waited for. */
const ASKING_TOOLS = new Set(['AskUserQuestion', 'ExitPlanMode', 'ask_user_question', 'exit_plan_mode']);

/** What the hooks of Claude Code say, and of the agents that have taken over its events and their payloads. */
export function readClaudeHook(event: string, payload: Readonly<Json>): HookReport {
  const report = reportOf(payload.session_id, payload);
  // Whoever runs these hooks as well, as Grok Build does, tells of itself in other words, and has hooks of its own for it.
  if (report.agentSessionId === undefined) return {};
  switch (event) {
    case 'SessionStart':
      // A conversation that is made shorter in the middle of a turn starts anew as well.
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
      // `/clear` and the like end the session and not the agent: another one begins at once.
      return ['clear', 'resume'].includes(text(payload.reason) ?? '') ? report : { ...report, state: 'exited' };
    default:
      return report;
  }
}

/** What nearly every payload has. */
export function reportOf(sessionId: unknown, { cwd, model }: Readonly<Json>): HookReport {
  return { ...words('agentSessionId', sessionId), ...words('cwd', cwd), ...words('model', model) };
}

/** What people are told while they look elsewhere. The kinds that are about something else say nothing of the session's state. */
export function notified(kind: unknown): Pick<HookReport, 'state'> {
  const known = text(kind) ?? '';
  if (/permission/i.test(known)) return { state: 'blocked' };
  return /^(?:idle_prompt|elicitation|elicitation_dialog)$/.test(known) ? { state: 'waiting_input' } : {};
}

/** Empty words are none. */
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
