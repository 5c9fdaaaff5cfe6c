import { createHash } from 'node:crypto';
import { type HookEvent, type HookFacet, hookGroup } from '@agent-mux/core';
import { readClaudeHook } from '../shared/claude-hooks.ts';
import { inlineToml } from './toml.ts';

/** In seconds. More than three are refused at the end of a session. */
const TIMEOUT = 10;

const EVENTS: readonly HookEvent[] = [
  { name: 'SessionStart' },
  { name: 'UserPromptSubmit' },
  { name: 'PreToolUse' },
  { name: 'PostToolUse' },
  { name: 'PermissionRequest' },
  { name: 'Stop' },
  { name: 'SessionEnd', timeout: 3 },
];

export const HOOKS: HookFacet = {
  events: EVENTS,
  file: { shape: 'json-groups', path: '.codex/hooks.json', under: ['hooks'], timeout: TIMEOUT },
  trust: 'Codex runs them in a project that it trusts, once somebody has reviewed them there with /hooks.',
  read: readClaudeHook,
  forRun(commandOf) {
    const groups = EVENTS.map((event) => [event.name, [hookGroup(commandOf(event.name), event, TIMEOUT)]]);
    const state = EVENTS.map((event) => [stateKey(event), { trusted_hash: trustedHash(event, commandOf(event.name)) }]);
    const hooks = { ...Object.fromEntries(groups), state: Object.fromEntries(state) };
    return { args: ['-c', `hooks=${inlineToml(hooks)}`] };
  },
};

/**
 * These and no others are trusted: the flag that runs hooks without a review would run those of the project too. Codex takes
 * trust from the user's own file and from arguments, by a hash of what it has read (seen with 0.166.0). Where a release makes
 * it otherwise, ours are not run, and nothing else is either.
 */
function trustedHash({ name, timeout = TIMEOUT }: HookEvent, command: string): string {
  const read = { event_name: labelOf(name), hooks: [{ async: false, command, timeout, type: 'command' }] };
  return `sha256:${createHash('sha256').update(JSON.stringify(read)).digest('hex')}`;
}

function stateKey({ name }: HookEvent): string {
  return `/<session-flags>/config.toml:${labelOf(name)}:0:0`;
}

function labelOf(event: string): string {
  return event.replaceAll(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase();
}
