import { join } from 'node:path';
import { type ApprovalMode, flag, type ResolvedRunOptions, type SpawnArgs } from '@agent-mux/core';

/** `approve` asks for every tool, `chat` runs none. */
export const GOOSE_MODES: Readonly<Record<ApprovalMode, string>> = {
  prompt: 'approve',
  'accept-edits': 'approve',
  plan: 'chat',
  deny: 'approve',
  yolo: 'auto',
};

/** A process per turn that would ask ends with an error instead. */
const RUN_MODES: Readonly<Partial<Record<ApprovalMode, string>>> = { plan: 'chat', deny: 'chat', yolo: 'auto' };

const SYSTEM_PROMPT_FILE = 'system-prompt.md';
/** Without it there is neither a shell nor a file tool. */
const TOOLS = ['--with-builtin', 'developer'];

export function launchGoose(options: ResolvedRunOptions): SpawnArgs {
  const acp = options.mode === 'acp';
  const modes = acp ? GOOSE_MODES : RUN_MODES;
  const env: Record<string, string> = {
    GOOSE_MODE: options.nativePermissionMode ?? modes[options.approvalMode] ?? 'chat',
  };
  const common = { command: 'goose', env, cwd: options.cwd, usePty: false };
  if (acp) {
    // Disables a model call for the title of each tool call, which is not shown here.
    env.GOOSE_DISABLE_TOOL_CALL_SUMMARY = 'true';
    return { ...common, args: ['acp', ...TOOLS] };
  }
  const files: Record<string, string> = {};
  if (options.systemPrompt !== undefined && options.systemPromptMode === 'replace') {
    files[SYSTEM_PROMPT_FILE] = options.systemPrompt;
    env.GOOSE_SYSTEM_PROMPT_FILE_PATH = join(options.scratchDir, SYSTEM_PROMPT_FILE);
  }
  return { ...common, args: runArgs(options), files, stdin: options.prompt };
}

function runArgs(options: ResolvedRunOptions): string[] {
  const args = ['run', '--output-format', 'stream-json', ...TOOLS, '-i', '-'];
  if (options.sessionId) args.push('--resume', ...flag('--session-id', options.sessionId));
  args.push(...flag('--model', options.model), ...flag('--max-turns', options.maxTurns));
  if (options.systemPrompt !== undefined && options.systemPromptMode === 'append')
    args.push(...flag('--system', options.systemPrompt));
  return args;
}
