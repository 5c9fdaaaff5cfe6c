import type { HookEvent, HookSpec } from '@agent-mux/core';
import { ALL_TOOLS, groupsOf, readClaudeHook } from '../shared/claude-hooks.ts';

/** In seconds. */
const TIMEOUT = 10;

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
  // Project settings of one person.
  file: { shape: 'json-groups', path: '.claude/settings.local.json', under: ['hooks'], timeout: TIMEOUT },
  trust: 'Claude Code runs them when the folder is trusted: it asks once, in a terminal; with -p it does not ask.',
  read: readClaudeHook,
  // Added to the settings of the files.
  forRun: (commandOf) => ({ args: ['--settings', JSON.stringify({ hooks: groupsOf(EVENTS, commandOf, TIMEOUT) })] }),
};
