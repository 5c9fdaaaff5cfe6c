import { join } from 'node:path';
import { type ApprovalMode, CapabilityError, type ResolvedRunOptions, type SpawnArgs } from '@agent-mux/core';

const RULE_FILE = 'system-prompt.md';
const PROMPT_FILE = 'prompt.md';

/**
 * With `-p` 1.5.47 runs commands and tools of MCP servers unasked; what a flag makes it ask for is not offered to the model.
 * Of the flags `--exclude` beats `--ask`, and that beats `--allow`. So an exception from `--ask '*'` cannot be made, and a
 * list of the tools that change things would let those of unknown names pass: `deny` leaves the model no tools at all.
 * `--readonly` is no plan mode, since commands run in it.
 */
const PERMISSIONS: Readonly<Partial<Record<ApprovalMode, readonly string[]>>> = { yolo: ['--auto'] };
const NO_TOOLS: readonly string[] = ['--ask', '*'];

/** Its modes are flags, so no other word may pass for one. */
const NATIVE_MODES: readonly string[] = ['auto', 'readonly'];

function nativeFlag(agent: string, mode: string): string {
  if (NATIVE_MODES.includes(mode)) return `--${mode}`;
  const message = `Continue has the permission modes ${NATIVE_MODES.join(' and ')}, and no "${mode}"`;
  throw new CapabilityError(agent, 'nativePermissionMode', message);
}

export function launchContinue(options: ResolvedRunOptions): SpawnArgs {
  const { approvalMode, nativePermissionMode, systemPrompt, scratchDir } = options;
  return {
    command: 'cn',
    args: [
      ...(nativePermissionMode
        ? [nativeFlag(options.agent, nativePermissionMode)]
        : (PERMISSIONS[approvalMode] ?? NO_TOOLS)),
      // A rule given as text may be taken for a path or for a name on Continue's hub.
      ...(systemPrompt ? ['--rule', join(scratchDir, RULE_FILE)] : []),
      // Of stdin it reads only what is there at once, and without a blank it believes that there is no prompt.
      '--prompt',
      join(scratchDir, PROMPT_FILE),
      '-p',
      ' ',
    ],
    env: { CONTINUE_TELEMETRY_ENABLED: '0' },
    cwd: options.cwd,
    usePty: false,
    files: { [PROMPT_FILE]: options.prompt, ...(systemPrompt ? { [RULE_FILE]: systemPrompt } : {}) },
  };
}
