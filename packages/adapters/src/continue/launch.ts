import { join } from 'node:path';
import { type ApprovalMode, CapabilityError, type ResolvedRunOptions, type SpawnArgs } from '@agent-mux/core';

const RULE_FILE = 'system-prompt.md';
const PROMPT_FILE = 'prompt.md';

/**
 * With `-p` 1.5.47 runs commands and MCP tools without asking; tools that a flag makes it ask for are hidden from the
 * model. `--exclude` beats `--ask`, and that beats `--allow`. So `--ask '*'` allows no exception, and a list of
 * mutating tools would miss unknown names: `deny` leaves the model no tools at all. `--readonly` is not a plan mode,
 * since commands run in it.
 */
const PERMISSIONS: Readonly<Partial<Record<ApprovalMode, readonly string[]>>> = { yolo: ['--auto'] };
const NO_TOOLS: readonly string[] = ['--ask', '*'];

/** Its modes are flags, so no other value may pass as one. */
const NATIVE_MODES: readonly string[] = ['auto', 'readonly'];

function nativeFlag(agent: string, mode: string): string {
  if (NATIVE_MODES.includes(mode)) return `--${mode}`;
  const message = `unknown permission mode "${mode}" of Continue; it has ${NATIVE_MODES.join(' and ')}`;
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
      // It reads only what is on stdin at once, and without whitespace it assumes an empty prompt.
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
