import { createConfiguredClient } from '@agent-mux/adapters/client';
import { describe, expect, it } from 'vitest';
import { shareGroupOf } from './share-group.ts';

describe('shareGroupOf', () => {
  const { adapters } = createConfiguredClient({ env: {} });

  it('returns agent and mode if one process serves many sessions', () => {
    expect(shareGroupOf(adapters.get('opencode'))).toBe('opencode/serve');
    expect(shareGroupOf(adapters.get('kilo'), 'serve')).toBe('kilo/serve');
  });

  it('returns null if each session has its own process', () => {
    for (const agent of ['claude', 'codex', 'demo']) expect(shareGroupOf(adapters.get(agent))).toBeNull();
    expect(shareGroupOf(adapters.get('opencode'), 'run')).toBeNull();
  });
});
