import { join } from 'node:path';
import {
  type ApprovalMode,
  CapabilityError,
  flag,
  flagEach,
  type ResolvedRunOptions,
  type SpawnArgs,
  wholeUuid,
  withoutSeparator,
} from '@agent-mux/core';
import { denyingPolicy } from './policy.ts';

/**
 * `--approval-mode` of a process per turn. Tools that would ask are hidden from the model there, so `deny` is its
 * default mode.
 */
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
    ...(acp ? ['--acp'] : ['-o', 'stream-json', ...flag('--approval-mode', oneshotMode(options))]),
    // Without a model the CLI asks a router model first, in every turn.
    ...flag('--model', options.model),
    // `latest` and a number select sessions, too.
    ...(acp ? [] : flag('--resume', wholeUuid('sessionId', options.sessionId))),
    ...allowedTools(options),
    ...flagEach(
      '--include-directories',
      options.addDirs?.map((folder) => withoutSeparator('addDirs', folder, ',')),
    ),
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
  return flagEach(
    '--allowed-tools',
    allowedTools.map((tool) => withoutSeparator('allowedTools', tool, ',')),
  );
}
