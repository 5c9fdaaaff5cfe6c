import { readdirSync } from 'node:fs';
import { assertAdapter, modesOf, Registry } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_MANIFESTS, builtInAdapters, preloadAdapters } from './catalog.ts';

/** Expectations shared by several agents. */
const SHARED = ['acp', 'claude-stream', 'documented', 'generic', 'jsonrpc', 'opencode-family', 'pi-family', 'shared'];

describe('agent catalog', () => {
  it.each(BUILT_IN_MANIFESTS.map((card) => [card.agent, card] as const))('matches the adapter of %s', (_, card) => {
    const { load, isChecked, ...said } = card;
    const { agent, displayName, cliCommand, minVersion, hostEnvSignals = [], ...adapter } = loaded(card.load());
    expect({ minVersion: undefined, hostEnvSignals: [], ...said }).toEqual({
      ...{ agent, displayName, cliCommand, minVersion, hostEnvSignals },
      modes: adapter.modes.map(({ name }) => name),
    });
  });

  it.each(BUILT_IN_MANIFESTS.map((card) => [card.agent, card] as const))(
    'marks the adapter of %s as checked',
    (_, card) => {
      expect(card.isChecked).toBe(true);
      expect(() => assertAdapter(card.load())).not.toThrow();
    },
  );

  it('has every agent in all-agents.ts, with the same adapter', () => {
    const apart = builtInAdapters();
    preloadAdapters();
    expect(builtInAdapters()).toEqual(apart);
  });

  it('has every agent that has a folder', () => {
    const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const agents = folders.map(({ name }) => name).filter((name) => !SHARED.includes(name));
    expect(BUILT_IN_MANIFESTS.map(({ agent }) => agent)).toEqual(agents.sort());
  });

  it('answers registry queries about all agents without loading any', () => {
    const registry = new Registry({ env: {} });
    for (const card of BUILT_IN_MANIFESTS) {
      registry.registerBuiltIn({ ...card, load: () => expect.unreachable(`${card.agent} is loaded`) });
    }
    expect(registry.list().map(({ agent }) => agent)).toEqual(BUILT_IN_MANIFESTS.map(({ agent }) => agent));
    expect(registry.hostEnvSignals()).toContain('CLAUDECODE');
    expect(registry.has('claude')).toBe(true);
    registry.unregister('claude');
    expect(registry.has('claude')).toBe(false);
  });
});

function loaded(adapter: ReturnType<(typeof BUILT_IN_MANIFESTS)[number]['load']>) {
  const { agent, displayName, cliCommand, minVersion, hostEnvSignals } = adapter;
  return { agent, displayName, cliCommand, minVersion, hostEnvSignals, modes: modesOf(adapter) };
}
