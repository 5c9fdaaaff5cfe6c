import { createHash } from 'node:crypto';
import { type HookEvent, type HookSpec, hookGroup } from '@agent-mux/core';
import { readClaudeHook } from '../shared/claude-hooks.ts';
import { inlineToml } from './toml.ts';

/** In seconds. At the end of a session more than three are refused. */
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

export const HOOKS: HookSpec = {
  events: EVENTS,
  file: { shape: 'json-groups', path: '.codex/hooks.json', under: ['hooks'], timeout: TIMEOUT },
  trust: 'Codex runs them in a trusted project once you have reviewed them there with /hooks.',
  read: readClaudeHook,
  forRun(commandOf) {
    const groups = EVENTS.map((event) => [event.name, [hookGroup(commandOf(event.name), event, TIMEOUT)]]);
    const state = EVENTS.map((event) => [stateKey(event), { trusted_hash: trustedHash(event, commandOf(event.name)) }]);
    const hooks = { ...Object.fromEntries(groups), state: Object.fromEntries(state) };
    return { args: ['-c', `hooks=${inlineToml(hooks)}`] };
  },
};

/**
 * Trusts only these hooks: the flag that runs hooks without a review would run those of the project too. Codex reads
 * trust from the user's own file and from arguments, by a hash of the hook (seen with 0.166.0). If a release does it
 * differently, it does not run ours, nor any others.
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
