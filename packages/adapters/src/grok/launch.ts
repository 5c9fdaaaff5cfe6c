import { join } from 'node:path';
import {
  type ApprovalMode,
  CapabilityError,
  type ResolvedRunOptions,
  type SpawnArgs,
  type ThinkingEffort,
} from '@agent-mux/core';

const STREAM = ['--output-format', 'streaming-messages-json', '--include-partial-messages'];
const PROMPT_FILE = 'prompt.txt';
/** Its log is the only place where it tells of retries, and of a session before the model's first word. */
const LOG = 'error,xai_grok_sampler=info,xai_grok_shell::session::acp_session::spawn=info';

const EFFORTS: Readonly<Partial<Record<ThinkingEffort, string>>> = {
  off: 'none',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
};

/**
 * The kinds of tools that change something or reach out. With `-p` 1.0.41 runs all of them unasked, also under
 * `--permission-mode default`, `plan` and `dontAsk`; nothing but a deny rule stops it, and that beats every allow rule.
 */
const CHANGING: readonly string[] = ['Bash', 'Edit', 'MCPTool', 'WebFetch'];
const DENIED: Readonly<Partial<Record<ApprovalMode, readonly string[]>>> = {
  'accept-edits': CHANGING.filter((kind) => kind !== 'Edit'),
  yolo: [],
};

/**
 * Without being asked, 1.0.41 runs a command that it takes for harmless, `touch` and `mkdir` among them, and takes no rule
 * that would ask. A hook that says `ask` is stronger; of all places for hooks only a profile of the agent belongs to one
 * process and works. It is the agent's own, but for a shorter system prompt.
 */
const PROFILE_FILE = 'asking-agent.md';
const PROFILE = `---
name: grok-build
description: Grok Build, which asks before it runs a command
hooks:
  PreToolUse:
    - matcher: Bash|monitor
      hooks:
        - type: command
          command: |
            echo '{"decision":"ask","reason":"commands are approved one by one"}'
---
`;

export function launchGrok(options: ResolvedRunOptions): SpawnArgs {
  const { args, env, files } = options.mode === 'acp' ? acp(options) : messages(options);
  return {
    command: 'grok',
    args,
    env: { GROK_DISABLE_AUTOUPDATER: '1', ...env },
    cwd: options.cwd,
    usePty: false,
    files,
  };
}

type Launch = Pick<SpawnArgs, 'args' | 'env'> & { files: Record<string, string> };

function acp(options: ResolvedRunOptions): Launch {
  const { approvalMode, nativePermissionMode, agent, scratchDir } = options;
  if (nativePermissionMode) {
    const message = 'Grok has no permission modes over ACP (option nativePermissionMode)';
    throw new CapabilityError(agent, 'nativePermissionMode', message, 'mode "messages" takes them');
  }
  const asks = approvalMode !== 'yolo';
  return {
    args: [
      'agent',
      '--no-leader',
      ...effortFlag(options),
      ...(asks ? ['--agent-profile', join(scratchDir, PROFILE_FILE)] : []),
      'stdio',
    ],
    env: {},
    files: asks ? { [PROFILE_FILE]: PROFILE } : {},
  };
}

/** Stdin is not read, and the prompt may be longer than an argument. */
function messages(options: ResolvedRunOptions): Launch {
  const { systemPrompt, systemPromptMode, model, maxTurns, deniedTools } = options;
  const args = [
    ...STREAM,
    '--prompt-file',
    join(options.scratchDir, PROMPT_FILE),
    ...session(options),
    ...(model ? [`--model=${model}`] : []),
    ...effortFlag(options),
    ...permissions(options),
    ...(deniedTools ?? []).map((rule) => `--deny=${rule}`),
    ...(systemPrompt
      ? [`${systemPromptMode === 'replace' ? '--system-prompt-override' : '--rules'}=${systemPrompt}`]
      : []),
    ...(maxTurns ? [`--max-turns=${maxTurns}`] : []),
    ...(options.outputSchema ? [`--json-schema=${JSON.stringify(options.outputSchema)}`] : []),
  ];
  return { args, env: { RUST_LOG: LOG }, files: { [PROMPT_FILE]: options.prompt } };
}

function effortFlag({ thinkingEffort }: ResolvedRunOptions): string[] {
  const effort = thinkingEffort && EFFORTS[thinkingEffort];
  return effort ? ['--reasoning-effort', effort] : [];
}

/** No `--session-id`: a session that it names must not be there yet, so a run could not be tried again. */
function session({ sessionId, forkSessionId }: ResolvedRunOptions): string[] {
  if (sessionId) return [`--resume=${sessionId}`];
  return forkSessionId ? [`--resume=${forkSessionId}`, '--fork-session'] : [];
}

function permissions({ nativePermissionMode, approvalMode }: ResolvedRunOptions): string[] {
  if (nativePermissionMode) return [`--permission-mode=${nativePermissionMode}`];
  const denied = DENIED[approvalMode] ?? CHANGING;
  return ['--permission-mode=bypassPermissions', ...denied.map((kind) => `--deny=${kind}`)];
}
