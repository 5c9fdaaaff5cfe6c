import { join } from 'node:path';
import type { ApprovalMode, ResolvedRunOptions, SpawnArgs } from '@agent-mux/core';

/** `--approval-mode` of a process per turn. What would ask is not offered to the model there, so `deny` is its default mode. */
const ONESHOT_MODES: Readonly<Partial<Record<ApprovalMode, string>>> = {
  plan: 'plan',
  deny: 'default',
  'accept-edits': 'auto_edit',
  yolo: 'yolo',
};

const SYSTEM_PROMPT_FILE = 'system-prompt.md';

export function launchGemini(options: ResolvedRunOptions): SpawnArgs {
  const acp = options.mode === 'acp';
  const args = acp ? ['--acp'] : ['-o', 'stream-json'];
  // Without a model the CLI asks a router model first, in every turn.
  if (options.model) args.push('-m', options.model);
  if (!acp)
    args.push('--approval-mode', options.nativePermissionMode ?? ONESHOT_MODES[options.approvalMode] ?? 'default');
  if (!acp && options.sessionId) args.push('--resume', options.sessionId);
  const files: Record<string, string> = {};
  // One process instead of two: signals reach it, and it starts sooner.
  const env: Record<string, string> = { GEMINI_CLI_NO_RELAUNCH: 'true' };
  if (options.systemPrompt !== undefined) {
    files[SYSTEM_PROMPT_FILE] = options.systemPrompt;
    env.GEMINI_SYSTEM_MD = join(options.scratchDir, SYSTEM_PROMPT_FILE);
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
