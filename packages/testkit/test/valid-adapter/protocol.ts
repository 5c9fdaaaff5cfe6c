import type { EventBody, ResolvedRunOptions } from '@agent-mux/core';

/** Options that the agent accepts unchanged. */
const FLAGS = [
  'model',
  'systemPrompt',
  'systemPromptMode',
  'sessionId',
  'forkSessionId',
  'noSession',
  'maxTurns',
  'allowedTools',
  'deniedTools',
  'addDirs',
  'attachments',
  'thinkingEffort',
] as const satisfies readonly (keyof ResolvedRunOptions)[];

/** As `--name=value`, so that no value can be taken for a flag. */
export function flagsOf(options: ResolvedRunOptions): string[] {
  const { approvalMode, nativePermissionMode = approvalMode } = options;
  const given = FLAGS.flatMap((name) => {
    const value = options[name];
    return value === undefined ? [] : [`--${name}=${JSON.stringify(value)}`];
  });
  return [...given, `--permissions=${nativePermissionMode}`];
}

/**
 * Output of the agent: `{"word":"hello"}`, `{"ask":"a1"}`, `{"tool":"t1"}`, `{"usd":0.1}`, `{"session":"s1"}`,
 * `{"done":true}`.
 */
export function decodeLine(line: string): EventBody[] {
  const [key, value] = fieldOf(line);
  switch (key) {
    case 'word':
      return typeof value === 'string' ? [{ type: 'text_delta', delta: value }] : [];
    case 'session':
      return typeof value === 'string' ? [{ type: 'session_start', sessionId: value }] : [];
    case 'ask':
      return typeof value === 'string' ? [asking(value)] : [];
    case 'tool':
      return typeof value === 'string' ? callOf(value) : [];
    case 'usd':
      return typeof value === 'number' && value >= 0 ? [costOf(value)] : [];
    case 'done':
      return [{ type: 'turn_end', status: 'completed' }];
    default:
      return [];
  }
}

function fieldOf(line: string): [key: string | undefined, value: unknown] {
  if (!line.startsWith('{')) return [undefined, undefined];
  try {
    const [field] = Object.entries(JSON.parse(line));
    return field ?? [undefined, undefined];
  } catch {
    return [undefined, undefined];
  }
}

function asking(requestId: string): EventBody {
  return {
    type: 'approval_request',
    requestId,
    toolName: 'bash',
    title: 'bash',
    options: [
      { id: 'yes', label: 'Yes', kind: 'allow_once' },
      { id: 'always', label: 'Always', kind: 'allow_always' },
      { id: 'no', label: 'No', kind: 'deny_once' },
    ],
  };
}

function callOf(toolCallId: string): EventBody[] {
  return [
    { type: 'tool_call_start', toolCallId, toolName: 'bash' },
    { type: 'tool_result', toolCallId, toolName: 'bash', output: 'done' },
  ];
}

export function costOf(costUsd: number | null): EventBody {
  const unknown = { inputTokens: null, outputTokens: null, cacheReadTokens: null, cacheCreationTokens: null };
  return { type: 'cost', usage: { ...unknown, totalTokens: null }, costUsd, scope: 'delta', source: 'reported' };
}
