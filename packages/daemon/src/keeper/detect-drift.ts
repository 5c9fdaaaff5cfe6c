import type { EventOf } from '@agent-mux/core';
import type { LaunchSpec } from './protocol.ts';

/** Describes how the resumed agent differs from the session. Undefined if nothing it reports has changed. */
export function detectDrift(
  { options, expected = {} }: Pick<LaunchSpec, 'options' | 'expected'>,
  reported: Pick<EventOf<'session_start'>, 'sessionId' | 'model' | 'permissionMode'>,
): string | undefined {
  const { model, modelNames = [], permissionMode } = expected;
  const facts = [
    ['session', options.sessionId, reported.sessionId],
    ['model', model, modelNames.some((name) => name === reported.model) ? model : reported.model],
    ['permission mode', permissionMode, reported.permissionMode],
  ] as const;
  const changed = facts.filter(([, was, is]) => was !== undefined && is !== undefined && was !== is);
  if (changed.length === 0) return undefined;
  const changes = changed.map(([name, was, is]) => `another ${name} (${is}) than before (${String(was)})`);
  return `the agent resumed with ${changes.join(' and ')}`;
}
