import type { HookEvent, HookFacet } from '@agent-mux/core';
import { groupsOf, readClaudeHook } from '../shared/claude-hooks.ts';
import { inlineToml } from './toml.ts';

const EVENTS: readonly HookEvent[] = [
  { name: 'SessionStart' },
  { name: 'UserPromptSubmit' },
  { name: 'PreToolUse' },
  { name: 'PostToolUse' },
  { name: 'PermissionRequest' },
  { name: 'Stop' },
  { name: 'SessionEnd' },
];

export const HOOKS: HookFacet = {
  events: EVENTS,
  file: { shape: 'json-groups', path: '.codex/hooks.json', under: ['hooks'] },
  trust: 'Codex runs them in a project that it trusts, and after they were reviewed once in it with /hooks.',
  read: readClaudeHook,
  forRun: (commandOf) => ({
    args: ['-c', `hooks=${inlineToml(groupsOf(EVENTS, commandOf))}`, '--dangerously-bypass-hook-trust'],
  }),
};
