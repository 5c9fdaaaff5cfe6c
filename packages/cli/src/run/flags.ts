import type { RunOptions } from '@agent-mux/core';
import { type Flag, JSON_FLAG, TRUST_FLAG } from '../command.ts';

/** How the text of a flag becomes the value of an option. */
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
  /** The run option that it sets. A flag without one is amux's own business. */
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

/** Every run option as a flag: what parses it, what it sets, what `--help` says. */
export const RUN_FLAGS = {
  agent: { type: 'string', short: 'a', value: 'NAME', help: 'Which agent (or AMUX_AGENT, or the profile’s).' },
  file: { type: 'string', short: 'f', value: 'FILE', help: 'Read the prompt from a file; - is stdin.' },
  'no-stdin': { type: 'boolean', help: 'Leave stdin alone: what is piped in is no part of the prompt.' },
  json: { ...JSON_FLAG, help: 'Print one event per line, then a run_result line.' },
  quiet: { type: 'boolean', short: 'q', help: 'Only the answer: no tools, thoughts and closing line.' },
  interactive: {
    ...on,
    short: 'i',
    option: 'interactive',
    help: 'Go on asking for turns; Ctrl-D or /exit ends. Without a terminal: one per line of stdin.',
  },
  detach: {
    type: 'boolean',
    short: 'd',
    help: 'Leave it with the daemon and print its id, as amux new does; amux attach shows it.',
  },

  'approval-mode': group('Permissions', {
    ...text,
    option: 'approvalMode',
    value: 'MODE',
    values: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
    help: 'prompt (default), accept-edits, plan, deny or yolo.',
  }),
  yolo: group('Permissions', { type: 'boolean', help: 'Short for --approval-mode yolo: everything is allowed.' }),
  'native-permission-mode': group('Permissions', {
    ...text,
    option: 'nativePermissionMode',
    value: 'WORD',
    help: "The agent's own word for a permission mode, passed as it is.",
  }),
  'allow-tool': group('Permissions', {
    ...list,
    option: 'allowedTools',
    value: 'TOOL',
    help: 'Allow this tool without asking.',
  }),
  'deny-tool': group('Permissions', { ...list, option: 'deniedTools', value: 'TOOL', help: 'Never use this tool.' }),
  'no-policy': group('Permissions', {
    type: 'boolean',
    help: 'No rule and no remembered answer allows anything; what rules deny stays denied.',
  }),
  'approval-timeout': group('Permissions', {
    ...duration,
    option: 'approvalTimeout',
    help: 'Deny what nobody has answered by then (default 5m).',
  }),

  model: group('Model', { ...text, short: 'm', option: 'model', value: 'ID', help: 'Which model.' }),
  effort: group('Model', {
    ...text,
    option: 'thinkingEffort',
    value: 'LEVEL',
    values: ['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
    help: 'off, minimal, low, medium, high, xhigh or max.',
  }),
  'thinking-budget': group('Model', {
    ...number,
    option: 'thinkingBudgetTokens',
    help: 'At most so many tokens of thinking.',
  }),
  'thinking-override': group('Model', {
    ...json,
    option: 'thinkingOverride',
    help: "The agent's own thinking settings.",
  }),
  'system-prompt': group('Model', { ...text, option: 'systemPrompt', value: 'TEXT', help: 'A system prompt.' }),
  'system-prompt-mode': group('Model', {
    ...text,
    option: 'systemPromptMode',
    value: 'HOW',
    values: ['append', 'prepend', 'replace'],
    help: 'append (default), prepend or replace.',
  }),
  'output-schema': group('Model', {
    ...json,
    option: 'outputSchema',
    value: 'JSON|@FILE',
    help: 'The answer must fit this JSON Schema.',
  }),

  resume: group('Session', {
    ...text,
    option: 'sessionId',
    value: 'ID',
    help: 'Go on with this session: its id or the beginning of it. Its agent is found.',
  }),
  continue: group('Session', {
    type: 'boolean',
    short: 'c',
    help: 'Go on with the newest session of this folder (of the agent, where one is named).',
  }),
  fork: group('Session', {
    ...text,
    option: 'forkSessionId',
    value: 'ID',
    help: 'Start a new session from a copy of this one; ids as with --resume.',
  }),
  title: group('Session', { type: 'string', value: 'TEXT', help: 'What a session that stays is called (--detach).' }),
  'on-limit': group('Session', {
    type: 'string',
    value: 'stop|wait',
    values: ['stop', 'wait'],
    help: 'What a session that stays does when a limit stops it: stay, or go on by itself after the reset (--detach).',
  }),
  budget: group('Session', {
    type: 'string',
    value: 'AMOUNT',
    help: 'What a session that stays may use: 5usd, 200ktokens, or both. Nothing is sent to it after that (--detach).',
  }),
  'no-session': group('Session', { ...on, option: 'noSession', help: 'Leave no session behind.' }),
  'max-turns': group('Session', { ...number, option: 'maxTurns', help: 'At most so many turns of the agent.' }),
  mode: group('Session', {
    ...text,
    option: 'mode',
    value: 'NAME',
    help: 'How the agent is driven; amux capabilities AGENT lists the modes.',
  }),
  profile: group('Session', {
    type: 'string',
    value: 'NAME',
    help: 'A run profile of the configuration; flags stand over it.',
  }),

  cwd: group('Surroundings', {
    type: 'string',
    reading: 'path',
    option: 'cwd',
    short: 'C',
    value: 'DIR',
    help: 'Where the agent works (default: here).',
  }),
  'add-dir': group('Surroundings', { ...paths, option: 'addDirs', help: 'A further folder for the agent.' }),
  attach: group('Surroundings', {
    ...paths,
    reading: 'attachments',
    option: 'attachments',
    help: 'Send a file or an image along.',
  }),
  skill: group('Surroundings', { ...paths, option: 'skills', help: 'A skill file or folder.' }),
  'mcp-config': group('Surroundings', {
    ...json,
    reading: 'mcp',
    option: 'mcpServers',
    value: 'JSON|@FILE',
    help: 'MCP servers by name.',
  }),
  env: group('Surroundings', {
    type: 'string',
    multiple: true,
    reading: 'variables',
    option: 'env',
    value: 'K=V',
    help: 'Set a variable for the agent; K alone passes yours on.',
  }),
  'inherit-env': group('Surroundings', {
    ...on,
    option: 'inheritEnv',
    help: 'Pass the whole environment instead of the allow-list.',
  }),
  on: group('Surroundings', {
    type: 'string',
    value: 'TARGET',
    help: 'Run it elsewhere: ssh://me@box/dir, docker:IMAGE, k8s:NAMESPACE/POD.',
  }),
  invocation: group('Surroundings', {
    ...json,
    option: 'invocation',
    help: `The same with all settings: '{"mode":"docker","image":"...","args":[...]}'.`,
  }),
  worktree: group('Surroundings', {
    type: 'boolean',
    short: 'w',
    help: 'In a git worktree of its own, on a branch of its own. Of a session that stays (--detach).',
  }),
  branch: group('Surroundings', {
    type: 'string',
    value: 'NAME',
    help: 'The name of that branch. Makes a worktree.',
  }),
  base: group('Surroundings', {
    type: 'string',
    value: 'COMMIT',
    help: 'What that branch begins with (default: what is checked out). Makes a worktree.',
  }),
  'trust-project': group('Surroundings', TRUST_FLAG),

  timeout: group('Limits', { ...duration, option: 'timeout', help: 'For the whole run: 90s, 5m, 1h30m.' }),
  'inactivity-timeout': group('Limits', {
    ...duration,
    option: 'inactivityTimeout',
    help: 'For silence within a turn (default 15m; 0: none).',
  }),
  'after-tool-timeout': group('Limits', {
    ...duration,
    option: 'afterToolTimeout',
    help: 'For silence after a tool result (default 10m; 0: none).',
  }),
  retries: group('Limits', {
    ...number,
    help: 'Try again so often: after a limit, once it is lifted; a crash; a server error.',
  }),
  'retry-policy': group('Limits', {
    ...json,
    option: 'retryPolicy',
    help: 'maxRetries, initialDelayMs, maxDelayMs (no wait is longer, default 10 minutes), multiplier, retryOn.',
  }),

  'run-id': group('Looking closer', { ...text, option: 'runId', value: 'ID', help: 'The id of this run.' }),
  tag: group('Looking closer', { ...list, option: 'tags', value: 'TAG', help: 'Mark the run in the run index.' }),
  trace: group('Looking closer', {
    type: 'string',
    reading: 'path',
    option: 'tracePath',
    value: 'FILE',
    help: 'Keep every byte to and from the agent.',
  }),
  hooks: group('Looking closer', {
    ...on,
    option: 'hooks',
    help: "The agent's own hooks report this run to the daemon; nothing is written into the folder.",
  }),
  raw: group('Looking closer', { ...on, option: 'includeRaw', help: 'With --json: the line each event came from.' }),
  debug: group('Looking closer', { ...on, option: 'debug', help: 'Also show what no decoder understood.' }),
} as const satisfies Record<string, RunFlag>;

function group<F extends Flag>(name: string, flag: F): F & { group: string } {
  return { ...flag, group: name };
}

const FLAG_LIST: readonly (readonly [string, RunFlag])[] = Object.entries(RUN_FLAGS);

export function runFlags(): readonly (readonly [string, RunFlag])[] {
  return FLAG_LIST;
}

/** The flag that sets an option, for messages to people who wrote the flag and not the option. */
export function flagOf(option: string): string | undefined {
  const found = FLAG_LIST.find(([, flag]) => flag.option === option);
  if (found) return `--${found[0]}`;
  return option === 'agent' || option === 'profile' ? `--${option}` : undefined;
}
