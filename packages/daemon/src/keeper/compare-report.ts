import type { EventOf } from '@agent-mux/core';
import type { Launch } from './protocol.ts';

/** Undefined: the agent came back as what the session was, as far as it tells. */
export function findChange(
  { options, expected = {} }: Pick<Launch, 'options' | 'expected'>,
  told: Pick<EventOf<'session_start'>, 'sessionId' | 'model' | 'permissionMode'>,
): string | undefined {
  const { model, modelNames = [], permissionMode } = expected;
  const facts = [
    ['session', options.sessionId, told.sessionId],
    ['model', model, modelNames.some((name) => name === told.model) ? model : told.model],
    ['permission mode', permissionMode, told.permissionMode],
  ] as const;
  const changed = facts.filter(([, was, is]) => was !== undefined && is !== undefined && was !== is);
  if (changed.length === 0) return undefined;
  const words = changed.map(([name, was, is]) => `another ${name} (${is}) than this session has had (${String(was)})`);
  return `the agent came back with ${words.join(' and ')}`;
}
