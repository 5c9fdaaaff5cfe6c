import { ok } from 'node:assert/strict';
import { ERROR_CODES, type EventBody, type EventType, EXIT_REASONS } from '@agent-mux/core';
import { z } from 'zod';

const text = z.string();
const maybe = z.string().optional();
/** Never NaN, never less than nothing; null where it is not known. */
const amount = z.number().nonnegative();
const count = amount.nullable();
const parent = { parentToolCallId: maybe };
const call = { toolCallId: text, toolName: text };
const by = z.enum(['caller', 'policy', 'timeout', 'agent']);

const usage = z.strictObject({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheCreationTokens: count,
  totalTokens: count,
});
const approvalOption = z.strictObject({
  id: text,
  label: text,
  kind: z.enum(['allow_once', 'allow_always', 'deny_once', 'deny_always']),
});
const question = z.strictObject({
  id: text,
  question: text,
  header: maybe,
  options: z.array(z.strictObject({ label: text, description: maybe })),
  multiple: z.boolean(),
});
const planEntry = z.strictObject({
  content: text,
  status: z.enum(['pending', 'in_progress', 'completed']),
  priority: z.enum(['high', 'medium', 'low']).optional(),
});
const rateLimitWindow = z.strictObject({
  window: text,
  usedPercent: count,
  resetsAt: count,
  exhausted: z.boolean(),
});

const event = <T extends EventType, Shape extends z.ZodRawShape>(type: T, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });

/** The shape of every event that a decoder may return; a type that is added to the union and not here does not compile. */
const SCHEMAS: { [T in EventType]: z.ZodType<Extract<EventBody, { type: T }>> } = {
  session_start: event('session_start', {
    sessionId: maybe,
    model: maybe,
    cwd: maybe,
    tools: z.array(text).optional(),
    agentVersion: maybe,
    permissionMode: maybe,
  }),
  session_resume: event('session_resume', { sessionId: text }),
  session_fork: event('session_fork', { fromSessionId: text, sessionId: maybe }),
  session_end: event('session_end', { reason: z.enum(EXIT_REASONS) }),
  turn_start: event('turn_start', { origin: z.enum(['user', 'agent']) }),
  turn_end: event('turn_end', {
    status: z.enum(['completed', 'failed', 'interrupted', 'max_turns', 'refused']),
    structured: z.unknown().optional(),
    stopReason: maybe,
  }),
  message_start: event('message_start', { messageId: maybe, model: maybe, ...parent }),
  message_stop: event('message_stop', { messageId: maybe, ...parent }),
  text_delta: event('text_delta', { delta: text, ...parent }),
  message_discard: event('message_discard', { reason: text }),
  thinking_start: event('thinking_start', parent),
  thinking_delta: event('thinking_delta', { delta: text, ...parent }),
  thinking_stop: event('thinking_stop', parent),
  tool_call_start: event('tool_call_start', { ...call, ...parent }),
  tool_input_delta: event('tool_input_delta', { toolCallId: text, delta: text, ...parent }),
  tool_call_ready: event('tool_call_ready', { ...call, input: z.unknown(), ...parent }),
  tool_output_delta: event('tool_output_delta', { toolCallId: text, delta: text }),
  tool_result: event('tool_result', { ...call, output: z.unknown(), exitCode: z.number().optional(), ...parent }),
  tool_error: event('tool_error', {
    ...call,
    error: text,
    output: z.unknown().optional(),
    denied: z.boolean().optional(),
    ...parent,
  }),
  mcp_tool_call_start: event('mcp_tool_call_start', { ...call, server: text, input: z.unknown() }),
  mcp_tool_result: event('mcp_tool_result', { ...call, server: text, output: z.unknown() }),
  mcp_tool_error: event('mcp_tool_error', { ...call, server: text, error: text }),
  subagent_start: event('subagent_start', { subagentId: text, toolCallId: maybe, name: maybe, prompt: maybe }),
  subagent_end: event('subagent_end', {
    subagentId: text,
    toolCallId: maybe,
    status: z.enum(['completed', 'failed', 'cancelled']),
    summary: maybe,
  }),
  plan_update: event('plan_update', { entries: z.array(planEntry) }),
  file_change: event('file_change', {
    path: text,
    change: z.enum(['create', 'update', 'delete']),
    toolCallId: maybe,
    diff: maybe,
  }),
  file_output: event('file_output', { path: text, fileName: text, mimeType: maybe }),
  image_output: event('image_output', { mimeType: text, base64: maybe, path: maybe }),
  approval_request: event('approval_request', {
    requestId: text,
    toolName: text,
    title: text,
    input: z.unknown().optional(),
    toolCallId: maybe,
    kind: z.enum(['execute', 'edit', 'read', 'network', 'mcp', 'mode', 'other']).optional(),
    options: z.array(approvalOption),
    expiresAt: z.number().optional(),
  }),
  approval_resolved: event('approval_resolved', {
    requestId: text,
    outcome: z.enum(['allowed', 'denied', 'cancelled']),
    by,
    optionId: maybe,
    message: maybe,
  }),
  input_required: event('input_required', {
    requestId: text,
    questions: z.array(question),
    expiresAt: z.number().optional(),
  }),
  input_resolved: event('input_resolved', {
    requestId: text,
    outcome: z.enum(['answered', 'declined', 'cancelled']),
    by,
  }),
  cost: event('cost', {
    usage,
    costUsd: count,
    scope: z.enum(['delta', 'turn', 'session']),
    source: z.enum(['reported', 'estimated']),
    model: maybe,
  }),
  context_usage: event('context_usage', { usedTokens: amount, maxTokens: count }),
  rate_limit_status: event('rate_limit_status', { limited: z.boolean(), windows: z.array(rateLimitWindow) }),
  rate_limit_error: event('rate_limit_error', {
    message: text,
    retryAfterMs: amount.optional(),
    resetsAt: z.number().optional(),
    retrying: z.boolean(),
  }),
  auth_error: event('auth_error', { message: text, guidance: maybe }),
  context_exceeded: event('context_exceeded', {
    message: text,
    usedTokens: amount.optional(),
    maxTokens: amount.optional(),
  }),
  context_compacted: event('context_compacted', { summary: maybe, trigger: maybe }),
  retry: event('retry', {
    attempt: amount,
    maxAttempts: z.number().optional(),
    delayMs: amount.optional(),
    reason: text,
    by: z.enum(['engine', 'agent']),
  }),
  timeout: event('timeout', {
    kind: z.enum(['run', 'inactivity', 'after_tool', 'exit']),
    limitMs: amount,
    message: text,
  }),
  interrupted: event('interrupted', { by: z.enum(['caller', 'agent']) }),
  aborted: event('aborted', { reason: maybe }),
  crash: event('crash', {
    exitCode: z.number().nullable(),
    signal: z.string().nullable(),
    stderr: text,
    message: text,
  }),
  error: event('error', { code: z.enum(ERROR_CODES), message: text, recoverable: z.boolean() }),
  plugin_loaded: event('plugin_loaded', { pluginId: text, version: maybe }),
  plugin_invoked: event('plugin_invoked', { pluginId: text }),
  skill_loaded: event('skill_loaded', { name: text, source: maybe }),
  skill_invoked: event('skill_invoked', { name: text }),
  title: event('title', { title: text }),
  debug: event('debug', {
    level: z.enum(['info', 'warn']),
    code: text,
    message: text,
    data: z.record(z.string(), z.unknown()).optional(),
  }),
  log: event('log', { source: z.enum(['stdout', 'stderr']), line: text }),
};

/** Throws for the first event that the contract does not know in this shape. */
export function assertEvents(events: readonly unknown[]): void {
  for (const each of events) {
    const type = typeof each === 'object' && each !== null && 'type' in each ? String(each.type) : '';
    ok(isEventType(type), `not an event of the contract: ${shortened(each)}`);
    const parsed = SCHEMAS[type].safeParse(each);
    ok(parsed.success, `${parsed.error && z.prettifyError(parsed.error)}\nin ${shortened(each)}`);
  }
}

/** What the agent itself said in good order has ids to refer to: a result without one belongs to no call. */
export function assertIds(events: readonly EventBody[]): void {
  for (const each of events) {
    for (const name of ['toolCallId', 'requestId', 'subagentId']) {
      const id: unknown = Reflect.get(each, name);
      ok(id === undefined || id !== '', `an empty ${name} in ${shortened(each)}`);
    }
  }
}

function isEventType(type: string): type is EventType {
  return Object.hasOwn(SCHEMAS, type);
}

function shortened(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 1000 ? `${json.slice(0, 1000)}...` : json;
}
