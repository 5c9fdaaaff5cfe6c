import type { EventBody, ParseContext } from '@agent-mux/core';
import {
  entryOf,
  type Json,
  number,
  parseRecord,
  record,
  records,
  setEntry,
  tableOf,
  text,
  word,
} from '../shared/json.ts';
import { readCopilotError } from './errors.ts';
import { sessionIdOf } from './launch.ts';

/** One line of `copilot --output-format json` (1.0.102). This stream has no tokens. */
export function parseCopilotLine(line: string, context: ParseContext): EventBody[] | null {
  if (context.source === 'stderr') return parseStderr(line);
  const message = parseRecord(line);
  if (!message) return null;
  const state = context.adapterState;
  const data = record(message.data);
  // Subagent events belong to the tool call that started it.
  const parent = parentOf(message, state);
  const start = startSession(state, context);
  const events = decode(message, data, state, parent);
  return start ? [start, ...events] : events;
}

/** The id is ours (launch.ts), so the first line, whatever it is, starts the session. */
function startSession(state: Json, context: ParseContext): EventBody | null {
  if (state.started) return null;
  state.started = true;
  return { type: 'session_start', sessionId: sessionIdOf(context.options), cwd: context.options.cwd };
}

function decode(message: Json, data: Json, state: Json, parent: Parent): EventBody[] {
  switch (message.type) {
    case 'model.call_start':
      state.model = word(data.model);
      return [];
    case 'session.skills_loaded':
      return records(data.skills).map((skill) => ({
        type: 'skill_loaded',
        name: text(skill.name) ?? '',
        source: word(skill.source),
      }));
    case 'assistant.message_start':
      return [{ type: 'message_start', messageId: word(data.messageId), model: word(state.model), ...parent }];
    case 'assistant.message_delta':
      return [{ type: 'text_delta', delta: text(data.deltaContent) ?? '', ...parent }];
    case 'assistant.reasoning_delta':
      return [{ type: 'thinking_delta', delta: text(data.deltaContent) ?? '', ...parent }];
    case 'assistant.reasoning':
      return [{ type: 'thinking_stop', ...parent }];
    case 'assistant.tool_call_delta':
      return inputDelta(data, state, parent);
    case 'assistant.message':
      return [{ type: 'message_stop', messageId: word(data.messageId), ...parent }];
    case 'tool.execution_start':
      return toolStart(data, state, parent);
    case 'tool.shell_output':
      return [{ type: 'tool_output_delta', toolCallId: text(data.toolCallId) ?? '', delta: text(data.text) ?? '' }];
    case 'tool.execution_complete':
      return toolEnd(data, state, parent);
    case 'subagent.started':
      setEntry<unknown>(tableOf(state, 'subagents'), text(message.agentId) ?? '', text(data.toolCallId));
      return [
        {
          type: 'subagent_start',
          subagentId: text(data.toolCallId) ?? '',
          toolCallId: word(data.toolCallId),
          name: word(data.agentName),
        },
      ];
    case 'subagent.completed':
      return [
        {
          type: 'subagent_end',
          subagentId: text(data.toolCallId) ?? '',
          toolCallId: word(data.toolCallId),
          status: 'completed',
        },
      ];
    case 'model.call_failure':
      return callFailure(data);
    case 'session.error':
      return [
        readCopilotError(
          text(data.message) ?? 'the turn failed',
          number(data.statusCode) ?? null,
          text(data.errorType),
        ),
      ];
    case 'abort':
      state.aborted = true;
      return [{ type: 'interrupted', by: 'agent' }];
    case 'assistant.idle':
      return idle(data, state);
    default:
      return [];
  }
}

/** An unknown session or a missing login is reported only on stderr. */
function parseStderr(line: string): EventBody[] | null {
  if (/No authentication information found/.test(line)) return [readCopilotError(line, null, 'authentication')];
  if (/(No session|session .{0,60}not found|Could not find session|No matching session)/i.test(line)) {
    return [{ type: 'error', code: 'SESSION_NOT_FOUND', message: line.trim(), recoverable: false }];
  }
  return null;
}

function parentOf(message: Json, state: Json): { parentToolCallId?: string } {
  const agentId = word(message.agentId);
  const parent = agentId === undefined ? undefined : word(entryOf(record(state.subagents), agentId));
  return parent === undefined ? {} : { parentToolCallId: parent };
}

type Parent = { parentToolCallId?: string };

function inputDelta(data: Json, state: Json, parent: Parent): EventBody[] {
  const toolCallId = text(data.toolCallId) ?? '';
  const toolName = text(data.toolName) ?? 'tool';
  // Whether it is an MCP tool is unknown before it runs, and those have their own start event.
  if (/-/.test(toolName)) return [];
  const known = entryOf(record(state.tools), toolCallId) !== undefined;
  setEntry<unknown>(tableOf(state, 'tools'), toolCallId, { name: toolName });
  const delta: EventBody = { type: 'tool_input_delta', toolCallId, delta: text(data.inputDelta) ?? '', ...parent };
  return known ? [delta] : [{ type: 'tool_call_start', toolCallId, toolName, ...parent }, delta];
}

function toolStart(data: Json, state: Json, parent: Parent): EventBody[] {
  const toolCallId = text(data.toolCallId) ?? '';
  const toolName = text(data.toolName) ?? 'tool';
  const input = data.arguments ?? {};
  const server = word(data.mcpServerName);
  if (server !== undefined) {
    const tool = word(data.mcpToolName) ?? toolName;
    setEntry<unknown>(tableOf(state, 'tools'), toolCallId, { name: tool, server });
    return [{ type: 'mcp_tool_call_start', toolCallId, server, toolName: tool, input }];
  }
  const known = entryOf(record(state.tools), toolCallId) !== undefined;
  setEntry<unknown>(tableOf(state, 'tools'), toolCallId, { name: toolName });
  const start: EventBody[] = known ? [] : [{ type: 'tool_call_start', toolCallId, toolName, ...parent }];
  return [...start, { type: 'tool_call_ready', toolCallId, toolName, input, ...parent }];
}

function toolEnd(data: Json, state: Json, parent: Parent): EventBody[] {
  const toolCallId = text(data.toolCallId) ?? '';
  const tool = record(entryOf(record(state.tools), toolCallId));
  const toolName = text(tool.name) ?? 'tool';
  const server = text(tool.server);
  const output = text(record(data.result).content) ?? '';
  const exitCode = exitCodeOf(data);
  if (data.success === false || (exitCode !== undefined && exitCode !== 0)) {
    const failure = record(data.error);
    const error = text(failure.message) ?? output;
    if (server !== undefined) return [{ type: 'mcp_tool_error', toolCallId, server, toolName, error }];
    return [
      {
        type: 'tool_error',
        toolCallId,
        toolName,
        error,
        ...(failure.code === 'denied' ? { denied: true } : {}),
        ...parent,
      },
    ];
  }
  if (server !== undefined) return [{ type: 'mcp_tool_result', toolCallId, server, toolName, output }];
  return [
    { type: 'tool_result', toolCallId, toolName, output, ...(exitCode === undefined ? {} : { exitCode }), ...parent },
  ];
}

/** 1.0.79 reports it in the contents of the result, later releases in a separate field. */
export function exitCodeOf(data: Json): number | undefined {
  const exit = records(record(data.result).contents).find(({ type }) => type === 'shell_exit');
  return number(record(data.shellExecution).exitCode) ?? number(record(exit).exitCode);
}

function callFailure(data: Json): EventBody[] {
  const status = number(data.statusCode);
  const attempt = (number(data.retryAttempt) ?? 0) + 1;
  const reason = word(data.errorMessage) ?? (status === undefined ? 'the connection failed' : `status ${status}`);
  // Its own retries wait for half a minute each.
  if (status === 429) return [{ type: 'rate_limit_error', message: reason, retrying: true }];
  // The streamed part of the answer is repeated.
  return [
    { type: 'message_discard', reason },
    { type: 'retry', attempt, reason, by: 'agent' },
  ];
}

function idle(data: Json, state: Json): EventBody[] {
  if (state.ended) return [];
  state.ended = true;
  if (data.aborted === true || state.aborted) return [{ type: 'turn_end', status: 'interrupted' }];
  return [{ type: 'turn_end', status: state.failed ? 'failed' : 'completed' }];
}
