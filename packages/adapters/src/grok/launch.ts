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
/** Only its log reports retries, and a session before the model's first output. */
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
 * The kinds of tools that change something or use the network. With `-p` 1.0.41 runs all of them without asking, even
 * under `--permission-mode default`, `plan` and `dontAsk`; only a deny rule stops it, and that beats every allow rule.
 */
const CHANGING: readonly string[] = ['Bash', 'Edit', 'MCPTool', 'WebFetch'];
const DENIED: Readonly<Partial<Record<ApprovalMode, readonly string[]>>> = {
  'accept-edits': CHANGING.filter((kind) => kind !== 'Edit'),
  yolo: [],
};

/**
 * 1.0.41 runs a command that it considers harmless without asking, including `touch` and `mkdir`, and has no rule that
 * asks. A hook that returns `ask` is stronger; of all locations for hooks only an agent profile belongs to one process
 * and works. It equals the built-in agent, except for a shorter system prompt.
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

type LaunchArgs = Pick<SpawnArgs, 'args' | 'env'> & { files: Record<string, string> };

function acp(options: ResolvedRunOptions): LaunchArgs {
  const { approvalMode, nativePermissionMode, agent, scratchDir } = options;
  if (nativePermissionMode) {
    const message = 'Grok has no permission modes over ACP (option nativePermissionMode)';
    throw new CapabilityError(agent, 'nativePermissionMode', message, 'use mode "messages"');
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
function messages(options: ResolvedRunOptions): LaunchArgs {
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

/** No `--session-id`: the session must not exist yet, so a run could not be retried. */
function session({ sessionId, forkSessionId }: ResolvedRunOptions): string[] {
  if (sessionId) return [`--resume=${sessionId}`];
  return forkSessionId ? [`--resume=${forkSessionId}`, '--fork-session'] : [];
}

function permissions({ nativePermissionMode, approvalMode }: ResolvedRunOptions): string[] {
  if (nativePermissionMode) return [`--permission-mode=${nativePermissionMode}`];
  const denied = DENIED[approvalMode] ?? CHANGING;
  return ['--permission-mode=bypassPermissions', ...denied.map((kind) => `--deny=${kind}`)];
}
