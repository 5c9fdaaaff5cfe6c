import type { RunOptions } from '@agent-mux/core';
import { type Flag, JSON_FLAG, TRUST_FLAG } from '../command.ts';

/** How the text of a flag is converted into the option value. */
export type Reading =
  | 'text'
  | 'number'
  | 'duration'
  | 'json'
  | 'on'
  | 'path'
  | 'list'
  | 'paths'
  | 'attachments'
  | 'variables'
  | 'mcp';

export interface RunFlag extends Flag {
  /** Run option set by the flag; flags without one are handled by the CLI. */
  option?: keyof RunOptions;
  reading?: Reading;
}

const text = { type: 'string', reading: 'text' } as const;
const number = { type: 'string', reading: 'number', value: 'N' } as const;
const duration = { type: 'string', reading: 'duration', value: 'TIME' } as const;
const json = { type: 'string', reading: 'json', value: 'JSON' } as const;
const on = { type: 'boolean', reading: 'on' } as const;
const list = { type: 'string', multiple: true, reading: 'list' } as const;
const paths = { type: 'string', multiple: true, reading: 'paths', value: 'PATH' } as const;

/** Every run option as a flag: how it is parsed, the option it sets, and its help text. */
export const RUN_FLAGS = {
  agent: {
    type: 'string',
    short: 'a',
    value: 'NAME',
    help: "Agent to run (default: AMUX_AGENT, or the profile's agent)",
  },
  file: { type: 'string', short: 'f', value: 'FILE', help: 'Read the prompt from a file; - for stdin' },
  'no-stdin': { type: 'boolean', help: 'Do not read stdin' },
  json: { ...JSON_FLAG, help: 'Print one event per line, then a run_result line' },
  quiet: { type: 'boolean', short: 'q', help: 'Print only the answer' },
  interactive: {
    ...on,
    short: 'i',
    option: 'interactive',
    help: 'Prompt for further turns until Ctrl-D or /exit; without a terminal, one turn per line of stdin',
  },
  detach: {
    type: 'boolean',
    short: 'd',
    help: 'Run in the background and print the session id, like "amux new"',
  },

  'approval-mode': group('Permissions', {
    ...text,
    option: 'approvalMode',
    value: 'MODE',
    values: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
    help: 'prompt (default), accept-edits, plan, deny or yolo',
  }),
  yolo: group('Permissions', { type: 'boolean', help: 'Allow everything; same as --approval-mode yolo' }),
  'native-permission-mode': group('Permissions', {
    ...text,
    option: 'nativePermissionMode',
    value: 'MODE',
    help: 'Pass a permission mode to the agent as is',
  }),
  'allow-tool': group('Permissions', {
    ...list,
    option: 'allowedTools',
    value: 'TOOL',
    help: 'Allow a tool without asking',
  }),
  'deny-tool': group('Permissions', { ...list, option: 'deniedTools', value: 'TOOL', help: 'Never allow a tool' }),
  'no-policy': group('Permissions', {
    type: 'boolean',
    help: 'Ignore rules and remembered answers that allow; deny rules still apply',
  }),
  'approval-timeout': group('Permissions', {
    ...duration,
    option: 'approvalTimeout',
    help: 'Deny requests not answered in time (default 5m)',
  }),

  model: group('Model', { ...text, short: 'm', option: 'model', value: 'ID', help: 'Model to use' }),
  effort: group('Model', {
    ...text,
    option: 'thinkingEffort',
    value: 'LEVEL',
    values: ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    help: 'Thinking effort: off, minimal, low, medium, high, xhigh or max',
  }),
  'thinking-budget': group('Model', {
    ...number,
    option: 'thinkingBudgetTokens',
    help: 'Maximum thinking tokens',
  }),
  'thinking-override': group('Model', {
    ...json,
    option: 'thinkingOverride',
    help: 'Agent-specific thinking settings',
  }),
  'system-prompt': group('Model', { ...text, option: 'systemPrompt', value: 'TEXT', help: 'System prompt' }),
  'system-prompt-mode': group('Model', {
    ...text,
    option: 'systemPromptMode',
    value: 'MODE',
    values: ['append', 'prepend', 'replace'],
    help: 'append (default), prepend or replace',
  }),
  'output-schema': group('Model', {
    ...json,
    option: 'outputSchema',
    value: 'JSON|@FILE',
    help: 'Require the answer to match a JSON Schema',
  }),

  resume: group('Session', {
    ...text,
    option: 'sessionId',
    value: 'ID',
    help: 'Resume a session by id or unique prefix; the agent is detected',
  }),
  continue: group('Session', {
    type: 'boolean',
    short: 'c',
    help: 'Resume the latest session in this folder',
  }),
  fork: group('Session', {
    ...text,
    option: 'forkSessionId',
    value: 'ID',
    help: 'Start from a copy of a session; ids as for --resume',
  }),
  title: group('Session', { type: 'string', value: 'TEXT', help: 'Session title (with --detach)' }),
  'on-limit': group('Session', {
    type: 'string',
    value: 'pause|continue',
    values: ['pause', 'continue'],
    help: 'At a usage limit: pause, or continue after the reset (with --detach)',
  }),
  budget: group('Session', {
    type: 'string',
    value: 'AMOUNT',
    help: 'Pause the session after this much: 5usd, 200ktokens, or both (with --detach)',
  }),
  'no-session': group('Session', { ...on, option: 'noSession', help: 'Do not store a session' }),
  'max-turns': group('Session', { ...number, option: 'maxTurns', help: 'Maximum number of agent turns' }),
  mode: group('Session', {
    ...text,
    option: 'mode',
    value: 'NAME',
    help: 'Driver mode; see "amux capabilities AGENT"',
  }),
  profile: group('Session', {
    type: 'string',
    value: 'NAME',
    help: 'Run profile; flags take precedence',
  }),

  cwd: group('Environment', {
    type: 'string',
    reading: 'path',
    option: 'cwd',
    short: 'C',
    value: 'DIR',
    help: 'Working directory (default: current)',
  }),
  'add-dir': group('Environment', { ...paths, option: 'addDirs', help: 'Additional folder the agent may use' }),
  attach: group('Environment', {
    ...paths,
    reading: 'attachments',
    option: 'attachments',
    help: 'Attach a file or image',
  }),
  skill: group('Environment', { ...paths, option: 'skills', help: 'Skill file or folder' }),
  'mcp-config': group('Environment', {
    ...json,
    reading: 'mcp',
    option: 'mcpServers',
    value: 'JSON|@FILE',
    help: 'MCP servers, by name',
  }),
  env: group('Environment', {
    type: 'string',
    multiple: true,
    reading: 'variables',
    option: 'env',
    value: 'K=V',
    help: 'Set an environment variable; K alone passes yours through',
  }),
  'inherit-env': group('Environment', {
    ...on,
    option: 'inheritEnv',
    help: 'Pass the whole environment instead of the allowlist',
  }),
  on: group('Environment', {
    type: 'string',
    value: 'TARGET',
    help: 'Run remotely: ssh://user@host/dir, docker:IMAGE or k8s:NAMESPACE/POD',
  }),
  invocation: group('Environment', {
    ...json,
    option: 'invocation',
    help: 'Like --on, with all settings as JSON',
  }),
  worktree: group('Environment', {
    type: 'boolean',
    short: 'w',
    help: 'Use a new git worktree and branch (with --detach)',
  }),
  branch: group('Environment', {
    type: 'string',
    value: 'NAME',
    help: 'Branch name for the worktree; implies --worktree',
  }),
  base: group('Environment', {
    type: 'string',
    value: 'COMMIT',
    help: 'Commit to start the branch from (default: HEAD); implies --worktree',
  }),
  'trust-project': group('Environment', TRUST_FLAG),

  timeout: group('Timeouts and retries', {
    ...duration,
    option: 'timeout',
    help: 'Timeout for the whole run: 90s, 5m, 1h30m',
  }),
  'inactivity-timeout': group('Timeouts and retries', {
    ...duration,
    option: 'inactivityTimeout',
    help: 'Timeout for silence within a turn (default 15m; 0 disables)',
  }),
  'after-tool-timeout': group('Timeouts and retries', {
    ...duration,
    option: 'afterToolTimeout',
    help: 'Timeout for silence after a tool result (default 10m; 0 disables)',
  }),
  retries: group('Timeouts and retries', {
    ...number,
    help: 'Retries after rate limits, crashes and server errors',
  }),
  'retry-policy': group('Timeouts and retries', {
    ...json,
    option: 'retryPolicy',
    help: 'maxRetries, initialDelayMs, maxDelayMs (default 10 minutes), multiplier, retryOn',
  }),

  'run-id': group('Debugging', { ...text, option: 'runId', value: 'ID', help: 'Set the run id' }),
  tag: group('Debugging', { ...list, option: 'tags', value: 'TAG', help: 'Tag the run in the run index' }),
  trace: group('Debugging', {
    type: 'string',
    reading: 'path',
    option: 'tracePath',
    value: 'FILE',
    help: 'Write all bytes exchanged with the agent to a file',
  }),
  hooks: group('Debugging', {
    ...on,
    option: 'hooks',
    help: "Report this run to the daemon through the agent's hooks",
  }),
  raw: group('Debugging', { ...on, option: 'includeRaw', help: 'Include the raw line of each event (with --json)' }),
  debug: group('Debugging', { ...on, option: 'debug', help: 'Also print lines no decoder recognized' }),
} as const satisfies Record<string, RunFlag>;

function group<F extends Flag>(name: string, flag: F): F & { group: string } {
  return { ...flag, group: name };
}

const FLAG_LIST: readonly (readonly [string, RunFlag])[] = Object.entries(RUN_FLAGS);

export function runFlags(): readonly (readonly [string, RunFlag])[] {
  return FLAG_LIST;
}

/** The flag that sets an option, for messages that refer to flags instead of options. */
export function flagOf(option: string): string | undefined {
  const found = FLAG_LIST.find(([, flag]) => flag.option === option);
  if (found) return `--${found[0]}`;
  return option === 'agent' || option === 'profile' ? `--${option}` : undefined;
}
