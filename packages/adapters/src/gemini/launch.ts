import { join } from 'node:path';
import { type ApprovalMode, CapabilityError, type ResolvedRunOptions, type SpawnArgs } from '@agent-mux/core';
import { denyingPolicy } from './policy.ts';

/** `--approval-mode` of a process per turn. What would ask is not offered to the model there, so `deny` is its default mode. */
const ONESHOT_MODES: Readonly<Partial<Record<ApprovalMode, string>>> = {
  plan: 'plan',
  deny: 'default',
  'accept-edits': 'auto_edit',
  yolo: 'yolo',
};

const SYSTEM_PROMPT_FILE = 'system-prompt.md';
const POLICY_FILE = 'policy.toml';

export function launchGemini(options: ResolvedRunOptions): SpawnArgs {
  const acp = options.mode === 'acp';
  const args = [
    ...(acp ? ['--acp'] : ['-o', 'stream-json', '--approval-mode', oneshotMode(options)]),
    // Without a model the CLI asks a router model first, in every turn.
    ...flag('--model', options.model),
    ...(acp ? [] : flag('--resume', options.sessionId)),
    ...allowedTools(options),
    ...(options.addDirs ?? []).flatMap((folder) => flag('--include-directories', folder)),
  ];
  const files: Record<string, string> = {};
  // One process instead of two: signals reach it, and it starts sooner.
  const env: Record<string, string> = { GEMINI_CLI_NO_RELAUNCH: 'true' };
  if (options.systemPrompt !== undefined) {
    files[SYSTEM_PROMPT_FILE] = options.systemPrompt;
    env.GEMINI_SYSTEM_MD = join(options.scratchDir, SYSTEM_PROMPT_FILE);
  }
  if (options.deniedTools?.length) {
    files[POLICY_FILE] = denyingPolicy(options.deniedTools);
    args.push(...flag('--admin-policy', join(options.scratchDir, POLICY_FILE)));
  }
  return {
    command: 'gemini',
    args,
    env,
    cwd: options.cwd,
    usePty: false,
    files,
    ...(acp ? {} : { stdin: options.prompt }),
  };
}

function oneshotMode({ nativePermissionMode, approvalMode }: ResolvedRunOptions): string {
  return nativePermissionMode ?? ONESHOT_MODES[approvalMode] ?? 'default';
}

/** An allowed tool runs in every approval mode, whatever it changes. */
function allowedTools({ agent, approvalMode, allowedTools = [] }: ResolvedRunOptions): string[] {
  if (allowedTools.length > 0 && approvalMode === 'plan')
    throw new CapabilityError(agent, 'allowedTools', 'Gemini CLI would run an allowed tool in plan mode too');
  return allowedTools.flatMap((tool) => flag('--allowed-tools', tool));
}

/** `=`, so that a value that begins with a dash is none of the options. */
function flag(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`${name}=${value}`];
}
