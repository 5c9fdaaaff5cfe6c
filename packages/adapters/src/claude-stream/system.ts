import type { EventBody, RateLimitWindow } from '@agent-mux/core';
import { nameFailure } from '../shared/failures.ts';
import { entryOf, isRecord, type Json, number, record, records, setEntry, texts, word } from '../shared/json.ts';
import type { StreamDialect } from './dialect.ts';
import { closeMessage, discardMessage, dropTruncated } from './messages.ts';
import type { StreamState } from './state.ts';

export function decodeSystem(line: Json, state: StreamState, dialect: StreamDialect): EventBody[] {
  switch (line.subtype) {
    case 'init':
      return startSession(line, state, dialect);
    case 'api_retry':
      return retrying(line, state, dialect);
    case 'retry':
      return repeating(line, state);
    case 'permission_denied':
      return denyPermission(line, state);
    case 'task_started':
      return startTask(line, state, dialect);
    case 'task_notification':
      return endTask(line, state, dialect);
    case 'compact_boundary':
      return [compactionEvent(line)];
    case 'status':
      return modeEvents(line);
    default:
      return [];
  }
}

/** `init` is printed again at the start of every turn. */
function startSession(line: Json, state: StreamState, dialect: StreamDialect): EventBody[] {
  const sessionId = word(line.session_id);
  if (state.announced) {
    if (!sessionId || sessionId === state.sessionId) return [];
    state.sessionId = sessionId;
    const data = { sessionId };
    return [
      { type: 'debug', level: 'warn', code: 'session_changed', message: 'The agent moved to another session.', data },
    ];
  }
  state.announced = true;
  if (sessionId) state.sessionId = sessionId;
  const model = word(line.model);
  const cwd = word(line.cwd);
  const agentVersion = word(line[dialect.versionField]);
  const permissionMode = word(line[dialect.permissionModeField]);
  return [
    {
      type: 'session_start',
      ...(sessionId ? { sessionId } : {}),
      ...(model ? { model } : {}),
      ...(cwd ? { cwd } : {}),
      tools: texts(line.tools),
      ...(agentVersion ? { agentVersion } : {}),
      ...(permissionMode ? { permissionMode } : {}),
    },
    ...texts(line.skills).map((name): EventBody => ({ type: 'skill_loaded', name })),
    ...records(line.plugins).flatMap((plugin): EventBody[] => {
      const pluginId = word(plugin.source) ?? word(plugin.name);
      const version = word(plugin.version);
      return pluginId ? [{ type: 'plugin_loaded', pluginId, ...(version ? { version } : {}) }] : [];
    }),
    ...records(line.mcp_servers).flatMap((server): EventBody[] => {
      const name = word(server.name) ?? '';
      const message = `The MCP server ${name} is not available: ${word(server.status)}.`;
      return server.status === 'failed' ? [{ type: 'debug', level: 'warn', code: 'mcp_server_failed', message }] : [];
    }),
  ];
}

function retrying(line: Json, state: StreamState, dialect: StreamDialect): EventBody[] {
  const reason = word(line.error) ?? 'unknown';
  const status = number(line.error_status);
  const delayMs = number(line.retry_delay_ms);
  const maxAttempts = number(line.max_retries);
  const attempt = number(line.attempt) ?? 1;
  const events: EventBody[] = [
    ...dropTruncated(state, dialect),
    {
      type: 'retry',
      attempt,
      ...(maxAttempts === undefined ? {} : { maxAttempts }),
      ...(delayMs === undefined ? {} : { delayMs }),
      reason: status === undefined ? reason : `${reason} (${status})`,
      by: 'agent',
    },
  ];
  if ((status === 429 || reason === 'rate_limit') && !state.limitSaid) {
    state.limitSaid = true;
    events.push({
      type: 'rate_limit_error',
      message: 'The model refuses requests for now (429); the agent would wait and try again.',
      ...(delayMs === undefined ? {} : { retryAfterMs: delayMs }),
      ...(state.limitResetsAt === undefined ? {} : { resetsAt: state.limitResetsAt }),
      retrying: true,
    });
  }
  // A first 401 may be a login that the CLI renews. After a second one it would keep retrying for minutes in vain.
  if ((status === 401 || reason === 'authentication_failed') && attempt > 1 && state.loginRefused === 'no') {
    state.loginRefused = 'reported';
    const text = `The model refused the login (${status ?? reason}).`;
    events.push(nameFailure({ kind: reason, status, text }, dialect.failures));
  }
  return events;
}

/** The agent repeats a request that broke, and says whether the streamed part is still valid. */
function repeating(line: Json, state: StreamState): EventBody[] {
  const data = record(line.data);
  const maxAttempts = number(data.maxRetries);
  const delayMs = number(data.delayMs);
  const reason = 'The request to the model broke.';
  return [
    ...(data.preserveText === true ? [] : discardMessage(reason, state)),
    {
      type: 'retry',
      attempt: number(data.attempt) ?? 1,
      ...(maxAttempts === undefined ? {} : { maxAttempts }),
      ...(delayMs === undefined ? {} : { delayMs }),
      reason,
      by: 'agent',
    },
  ];
}

function denyPermission(line: Json, state: StreamState): EventBody[] {
  const id = word(line.tool_use_id);
  const message = word(line.message) ?? 'Denied.';
  if (id) setEntry(state.denied, id, message);
  const data = { toolName: word(line.tool_name) ?? '', ...(id ? { toolCallId: id } : {}) };
  return [{ type: 'debug', level: 'warn', code: 'permission_denied', message, data }];
}

/** Tasks are subagents (`local_agent`) and long shell commands; the latter are plain tool calls for us. */
function startTask(line: Json, state: StreamState, dialect: StreamDialect): EventBody[] {
  if (!dialect.announcesSubagents) return outlivesItsCall(record(line.data), state);
  const subagentId = word(line.task_id);
  if (!subagentId || line.task_type !== 'local_agent') return [];
  const toolCallId = word(line.tool_use_id);
  const name = word(line.subagent_type);
  const prompt = word(line.prompt);
  setEntry(state.subagents, subagentId, toolCallId ?? '');
  return [
    {
      type: 'subagent_start',
      subagentId,
      ...(toolCallId ? { toolCallId } : {}),
      ...(name ? { name } : {}),
      ...(prompt ? { prompt } : {}),
    },
  ];
}

/** The call that started a subagent has announced it; now its result is known not to be the end. */
function outlivesItsCall(task: Json, state: StreamState): EventBody[] {
  const id = word(task.tool_use_id);
  if (id && entryOf(state.subagents, id) === id) setEntry(state.subagents, id, word(task.task_id) ?? '');
  return [];
}

const TASK_STATUS: Readonly<Record<string, 'completed' | 'failed' | 'cancelled'>> = {
  completed: 'completed',
  failed: 'failed',
  killed: 'cancelled',
  stopped: 'cancelled',
  cancelled: 'cancelled',
};

function endTask(line: Json, state: StreamState, dialect: StreamDialect): EventBody[] {
  const task = isRecord(line.data) ? line.data : line;
  const subagentId = word(dialect.announcesSubagents ? task.task_id : task.tool_use_id);
  if (!subagentId || entryOf(state.subagents, subagentId) === undefined) return [];
  delete state.subagents[subagentId];
  const toolCallId = word(task.tool_use_id);
  const summary = word(task.summary);
  return [
    ...(toolCallId ? closeMessage(toolCallId, state, dialect) : []),
    {
      type: 'subagent_end',
      subagentId,
      ...(toolCallId ? { toolCallId } : {}),
      status: entryOf(TASK_STATUS, word(task.status) ?? '') ?? 'failed',
      ...(summary ? { summary } : {}),
    },
  ];
}

function compactionEvent(line: Json): EventBody {
  const trigger = word(record(line.compact_metadata).trigger);
  return { type: 'context_compacted', ...(trigger ? { trigger } : {}) };
}

/** `status` lines come once per model request; only those with another permission mode matter. */
function modeEvents(line: Json): EventBody[] {
  const mode = word(line.permissionMode);
  if (!mode) return [];
  return [
    { type: 'debug', level: 'info', code: 'permission_mode', message: `Permission mode: ${mode}.`, data: { mode } },
  ];
}

/**
 * `rate_limit_event`: how full the subscription's windows are. Times are seconds, utilization is 1 when full and can
 * pass it.
 */
export function decodeRateLimit(line: Json, state: StreamState): EventBody[] {
  const info = record(line.rate_limit_info);
  const named = Object.entries(record(info.unifiedWindows)).map(([name, window]) => windowOf(name, record(window)));
  const windows = named.length > 0 ? named : [windowOf(word(info.rateLimitType) ?? 'unknown', info)];
  const limited = info.status === 'rejected';
  const resetsAt = number(info.resetsAt);
  if (limited && resetsAt !== undefined) state.limitResetsAt = resetsAt * 1000;
  else delete state.limitResetsAt;
  return [{ type: 'rate_limit_status', limited, windows }];
}

function windowOf(window: string, info: Json): RateLimitWindow {
  const used = number(info.utilization);
  const resetsAt = number(info.resetsAt);
  return {
    window,
    usedPercent: used === undefined ? null : Math.min(100, Math.round(used * 10_000) / 100),
    resetsAt: resetsAt === undefined ? null : resetsAt * 1000,
    exhausted: info.status === 'rejected',
  };
}
