import { ERROR_CODES } from '../contract/errors.ts';
import { type EventBody, type EventType, EXIT_REASONS, type TokenUsage } from '../contract/events.ts';
import { TOOL_KINDS } from '../contract/tool-kinds.ts';
import { isRecord } from '../values.ts';

/** Maximum characters of a text in an event; a line of output has fewer. */
const MAX_EVENT_TEXT = 32 * 1024 * 1024;

/** Returns what a field must be, or undefined if it is valid. `strict`: an object may have no unknown fields. */
type Check = (value: unknown, strict?: boolean) => string | undefined;
type Fields<Body> = { [Field in Exclude<keyof Body, 'type'>]-?: Check };

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_EVENT_TEXT;
const text: Check = (value) => (isText(value) ? undefined : 'a string');
const number: Check = (value) => (Number.isFinite(value) ? undefined : 'a number');
const amount: Check = (value) => (Number.isFinite(value) && Number(value) >= 0 ? undefined : 'a number of at least 0');
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'true or false');
const anything: Check = () => undefined;
const record: Check = (value) => (isRecord(value) ? undefined : 'an object');
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null ? undefined : check(value) && `${check(value)} or null`;
const maybe =
  (check: Check): Check =>
  (value, strict) =>
    value === undefined ? undefined : check(value, strict);
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string) ? undefined : `one of ${words.join(', ')}`;
const list =
  (check: Check): Check =>
  (value, strict) => {
    if (!Array.isArray(value)) return 'a list';
    const due = value.map((each) => check(each, strict)).find((each) => each !== undefined);
    return due && `a list with every entry ${due}`;
  };
const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, strict) => {
    if (!isRecord(value)) return 'an object';
    for (const name of Object.keys(fields)) {
      const due = fields[name]!(value[name], strict);
      if (due) return `an object whose ${name} is ${due}`;
    }
    const unknown = strict && Object.keys(value).find((name) => !Object.hasOwn(fields, name));
    return unknown ? `an object without ${unknown}` : undefined;
  };

const parent = { parentToolCallId: maybe(text) };
const kind = maybe(oneOf(...TOOL_KINDS));
const call = { toolCallId: text, toolName: text, kind };
const by = oneOf('caller', 'policy', 'timeout', 'agent');
const count = orNull(amount);
const usage = shape({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheCreationTokens: count,
  totalTokens: count,
} satisfies Record<keyof TokenUsage, Check>);

/** Fields of each event. A type or a field that is added to the contract and not here does not compile. */
const SHAPES: { [T in EventType]: Fields<Extract<EventBody, { type: T }>> } = {
  session_start: {
    sessionId: maybe(text),
    model: maybe(text),
    cwd: maybe(text),
    tools: maybe(list(text)),
    agentVersion: maybe(text),
    permissionMode: maybe(text),
  },
  session_resume: { sessionId: text },
  session_fork: { fromSessionId: text, sessionId: maybe(text) },
  session_end: { reason: oneOf(...EXIT_REASONS) },
  turn_start: { origin: oneOf('user', 'agent') },
  turn_end: {
    status: oneOf('completed', 'failed', 'interrupted', 'max_turns', 'refused'),
    structured: anything,
    stopReason: maybe(text),
  },
  message_start: { messageId: maybe(text), model: maybe(text), ...parent },
  message_stop: { messageId: maybe(text), ...parent },
  text_delta: { delta: text, ...parent },
  message_discard: { reason: text },
  thinking_start: parent,
  thinking_delta: { delta: text, ...parent },
  thinking_stop: parent,
  tool_call_start: { ...call, ...parent },
  tool_input_delta: { toolCallId: text, delta: text, ...parent },
  tool_call_ready: { ...call, input: anything, ...parent },
  tool_output_delta: { toolCallId: text, delta: text },
  tool_result: { ...call, output: anything, exitCode: maybe(number), ...parent },
  tool_error: { ...call, error: text, output: anything, denied: maybe(flag), ...parent },
  mcp_tool_call_start: { ...call, server: text, input: anything },
  mcp_tool_result: { ...call, server: text, output: anything },
  mcp_tool_error: { ...call, server: text, error: text },
  subagent_start: { subagentId: text, toolCallId: maybe(text), name: maybe(text), prompt: maybe(text) },
  subagent_end: {
    subagentId: text,
    toolCallId: maybe(text),
    status: oneOf('completed', 'failed', 'cancelled'),
    summary: maybe(text),
  },
  plan_update: {
    entries: list(
      shape({
        content: text,
        status: oneOf('pending', 'in_progress', 'completed'),
        priority: maybe(oneOf('high', 'medium', 'low')),
      }),
    ),
  },
  file_change: {
    path: text,
    change: oneOf('create', 'update', 'delete'),
    toolCallId: maybe(text),
    diff: maybe(text),
  },
  file_output: { path: text, fileName: text, mimeType: maybe(text) },
  image_output: { mimeType: text, base64: maybe(text), path: maybe(text) },
  approval_request: {
    requestId: text,
    toolName: text,
    title: text,
    input: anything,
    toolCallId: maybe(text),
    kind,
    elevated: maybe(flag),
    options: list(
      shape({ id: text, label: text, kind: oneOf('allow_once', 'allow_always', 'deny_once', 'deny_always') }),
    ),
    summary: maybe(list(shape({ kind: oneOf('field', 'text', 'added', 'removed', 'same'), text }))),
    expiresAt: maybe(number),
  },
  approval_resolved: {
    requestId: text,
    outcome: oneOf('allowed', 'denied', 'cancelled'),
    by,
    rule: maybe(text),
    optionId: maybe(text),
    message: maybe(text),
  },
  input_required: {
    requestId: text,
    questions: list(
      shape({
        id: text,
        question: text,
        header: maybe(text),
        options: list(shape({ label: text, description: maybe(text) })),
        multiple: flag,
        freeText: maybe(flag),
      }),
    ),
    expiresAt: maybe(number),
  },
  input_resolved: { requestId: text, outcome: oneOf('answered', 'declined', 'cancelled'), by },
  cost: {
    usage,
    costUsd: count,
    scope: oneOf('delta', 'turn', 'session'),
    source: oneOf('reported', 'estimated'),
    model: maybe(text),
    serviceTier: maybe(text),
  },
  context_usage: { usedTokens: amount, maxTokens: count },
  rate_limit_status: {
    limited: flag,
    windows: list(shape({ window: text, usedPercent: count, resetsAt: count, exhausted: flag })),
  },
  rate_limit_error: { message: text, retryAfterMs: maybe(amount), resetsAt: maybe(amount), retrying: flag },
  auth_error: { message: text, guidance: maybe(text) },
  context_exceeded: { message: text, usedTokens: maybe(amount), maxTokens: maybe(amount) },
  context_compacted: { summary: maybe(text), trigger: maybe(text) },
  retry: {
    attempt: amount,
    maxAttempts: maybe(amount),
    delayMs: maybe(amount),
    reason: text,
    by: oneOf('engine', 'agent'),
  },
  timeout: { kind: oneOf('run', 'inactivity', 'after_tool', 'exit'), limitMs: amount, message: text },
  interrupted: { by: oneOf('caller', 'agent') },
  aborted: { reason: maybe(text) },
  crash: { exitCode: orNull(number), signal: orNull(text), stderr: text, message: text },
  error: { code: oneOf(...ERROR_CODES), message: text, recoverable: flag },
  plugin_loaded: { pluginId: text, version: maybe(text) },
  skill_loaded: { name: text, source: maybe(text) },
  skill_invoked: { name: text },
  title: { title: text },
  debug: { level: oneOf('info', 'warn'), code: text, message: text, data: maybe(record) },
  log: { source: oneOf('stdout', 'stderr'), line: text },
};

const FIELDS = new Map<unknown, readonly [field: string, check: Check][]>(
  Object.entries(SHAPES).map(([type, fields]) => [type, Object.entries<Check>(fields)]),
);

const ENVELOPE: readonly [field: string, check: Check][] = Object.entries({
  agent: text,
  runId: text,
  sessionId: maybe(text),
  turnIndex: number,
  seq: number,
  timestamp: number,
  raw: maybe(text),
});

/**
 * Returns why a value is not an event of the contract, or undefined. Never throws. `strict`: unknown fields are issues
 * too.
 */
export function findEventIssue(value: unknown, { strict = false } = {}): string | undefined {
  try {
    if (!strict && isRecord(value) && isPlainText(value)) return undefined;
    return findIssue(value, strict);
  } catch (error) {
    return `an unreadable event: ${error instanceof Error ? error.message : 'it throws'}`;
  }
}

function findIssue(value: unknown, strict: boolean): string | undefined {
  if (!isRecord(value)) return `${nameOf(value)} instead of an event`;
  const fields = FIELDS.get(value.type);
  if (!fields) return `an event of the unknown type ${nameOf(value.type)}`;
  const checks = isWhole(value) ? [...fields, ...ENVELOPE] : fields;
  for (const [field, check] of checks) {
    const due = check(value[field], strict);
    if (due) return `a "${value.type}" event whose ${field} is ${nameOf(value[field])}, expected ${due}`;
  }
  const unknown =
    strict && Object.keys(value).find((name) => name !== 'type' && !checks.some(([field]) => field === name));
  return unknown ? `a "${value.type}" event with the unknown field ${nameOf(unknown)}` : undefined;
}

/**
 * Fast path for text, which is nearly every event; the table would double the cost of a line. A separate function, so
 * that it is optimized early.
 */
function isPlainText({ type, delta, parentToolCallId, seq }: Record<string, unknown>): boolean {
  return type === 'text_delta' && isText(delta) && parentToolCallId === undefined && seq === undefined;
}

/** An event of another agent-mux includes its envelope. */
function isWhole(value: Record<string, unknown>): boolean {
  return 'seq' in value && 'runId' in value;
}

/** Describes a value briefly for a message. */
export function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') {
    if (value.length > MAX_EVENT_TEXT) return `a string of ${value.length} characters`;
    return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);
  }
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return isThenable(value) ? 'a promise' : 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
