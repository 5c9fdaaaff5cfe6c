import type { SessionEvent } from '@agent-mux/api';

/**
 * Whether an event of this type changes the rows of its session. The projector ignores all other types, so only the
 * types that are true here are replayed after a restart. A missing type, or a read of a type that is false, does not
 * compile.
 */
const PROJECTED = {
  user_message: true,
  keeper_lost: true,
  run_result: true,
  session_start: true,
  session_resume: false,
  session_fork: false,
  session_end: false,
  turn_start: true,
  turn_end: true,
  message_start: true,
  message_stop: false,
  text_delta: true,
  message_discard: true,
  thinking_start: true,
  thinking_delta: false,
  thinking_stop: false,
  tool_call_start: true,
  tool_input_delta: false,
  tool_call_ready: true,
  tool_output_delta: false,
  tool_result: false,
  tool_error: false,
  mcp_tool_call_start: true,
  mcp_tool_result: false,
  mcp_tool_error: false,
  subagent_start: true,
  subagent_end: true,
  plan_update: false,
  file_change: false,
  file_output: false,
  image_output: false,
  approval_request: true,
  approval_resolved: true,
  input_required: true,
  input_resolved: true,
  cost: true,
  context_usage: false,
  rate_limit_status: false,
  rate_limit_error: true,
  auth_error: true,
  context_exceeded: true,
  context_compacted: false,
  retry: true,
  timeout: true,
  interrupted: false,
  aborted: false,
  crash: true,
  error: true,
  plugin_loaded: false,
  skill_loaded: false,
  skill_invoked: false,
  title: true,
  debug: true,
  log: false,
} as const satisfies Record<SessionEvent['type'], boolean>;

type Table = typeof PROJECTED;
type ProjectedType = { [Type in keyof Table]: Table[Type] extends true ? Type : never }[keyof Table];
export type ProjectedEvent = Extract<SessionEvent, { type: ProjectedType }>;

export function isProjected(event: SessionEvent): event is ProjectedEvent {
  return PROJECTED[event.type] === true;
}

/** Skips most journal lines that are not needed to replay a session. May match more than necessary. */
export const PROJECTED_LINE = new RegExp(
  `"type":"(?:${Object.entries(PROJECTED)
    .flatMap(([type, isRead]) => (isRead ? [type] : []))
    .join('|')})"`,
);
