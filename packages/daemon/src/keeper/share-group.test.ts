import { createConfiguredClient } from '@agent-mux/adapters/client';
import { describe, expect, it } from 'vitest';
import { shareGroupOf } from './share-group.ts';

describe('the group of a session', () => {
  const { adapters } = createConfiguredClient({ env: {} });

  it('is that of its agent and mode where one process serves many', () => {
    expect(shareGroupOf(adapters.get('opencode'))).toBe('opencode/serve');
    expect(shareGroupOf(adapters.get('kilo'), 'serve')).toBe('kilo/serve');
  });

  it('is none where each has a process of its own', () => {
    for (const agent of ['claude', 'codex', 'demo']) expect(shareGroupOf(adapters.get(agent))).toBeNull();
    expect(shareGroupOf(adapters.get('opencode'), 'run')).toBeNull();
  });
});
