import { join } from 'node:path';
import type { HookEvent, HookSpec } from '@agent-mux/core';
import { ALL_TOOLS, groupsOf, readClaudeHook } from '../shared/claude-hooks.ts';

const DEFAULTS = 'hook-settings.json';

const EVENTS: readonly HookEvent[] = [
  { name: 'SessionStart' },
  { name: 'UserPromptSubmit' },
  { name: 'PreToolUse', matcher: ALL_TOOLS },
  { name: 'PostToolUse', matcher: ALL_TOOLS },
  { name: 'PermissionRequest', matcher: ALL_TOOLS },
  { name: 'Notification' },
  { name: 'Stop' },
  { name: 'SessionEnd' },
];

export const HOOKS: HookSpec = {
  events: EVENTS,
  file: { shape: 'json-groups', path: '.qwen/settings.json', under: ['hooks'] },
  trust: 'Qwen Code reads the settings of a trusted folder; of every folder if folder trust is off.',
  // The second prompt of a turn with tools is empty (seen with 0.24.4) and does not count.
  read: readClaudeHook,
  forRun: (commandOf, scratchDir) => ({
    env: { QWEN_CODE_SYSTEM_DEFAULTS_PATH: join(scratchDir, DEFAULTS) },
    files: { [DEFAULTS]: JSON.stringify({ hooks: groupsOf(EVENTS, commandOf) }) },
  }),
};
