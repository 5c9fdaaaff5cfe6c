import type { AgentEvent } from '../contract/events.ts';
import type { AgentActivityEvent } from '../contract/run.ts';

/** Derives the five-kind activity view from the events of a run. */
export function activityOf(event: AgentEvent): AgentActivityEvent | undefined {
  switch (event.type) {
    case 'session_start':
      return {
        kind: 'session',
        model: event.model ?? null,
        tools: event.tools?.length ?? null,
        cwd: event.cwd ?? null,
      };
    // The output of a subagent is not the agent's own; it is reported as the result of a tool.
    case 'text_delta':
      return event.parentToolCallId === undefined ? { kind: 'assistant_text', text: event.delta } : undefined;
    case 'thinking_delta':
      return event.parentToolCallId === undefined ? { kind: 'thinking', text: event.delta } : undefined;
    case 'tool_call_ready':
      return { kind: 'tool_use', tool_call_id: event.toolCallId, name: event.toolName, input: event.input };
    case 'mcp_tool_call_start':
      return {
        kind: 'tool_use',
        tool_call_id: event.toolCallId,
        name: `${event.server}/${event.toolName}`,
        input: event.input,
      };
    case 'tool_result':
    case 'mcp_tool_result':
      return { kind: 'tool_result', tool_call_id: event.toolCallId, status: 'ok', output: event.output };
    case 'tool_error':
    case 'mcp_tool_error':
      return { kind: 'tool_result', tool_call_id: event.toolCallId, status: 'error', output: event.error };
    default:
      return undefined;
  }
}
