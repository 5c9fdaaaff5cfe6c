import { readdirSync } from 'node:fs';
import { assertAdapter, modesOf, Registry } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_CARDS, builtInAdapters, loadTogether } from './catalogue.ts';

/** What several agents have in common. */
const SHARED = ['acp', 'claude-stream', 'documented', 'generic', 'jsonrpc', 'opencode-family', 'pi-family', 'shared'];

describe('the catalogue', () => {
  it.each(BUILT_IN_CARDS.map((card) => [card.agent, card] as const))('says of %s what its adapter says', (_, card) => {
    const { load, isChecked, ...said } = card;
    const { agent, displayName, cliCommand, minVersion, hostEnvSignals = [], ...adapter } = loaded(card.load());
    expect({ minVersion: undefined, hostEnvSignals: [], ...said }).toEqual({
      ...{ agent, displayName, cliCommand, minVersion, hostEnvSignals },
      modes: adapter.modes.map(({ name }) => name),
    });
  });

  it.each(BUILT_IN_CARDS.map((card) => [card.agent, card] as const))('has checked the adapter of %s', (_, card) => {
    expect(card.isChecked).toBe(true);
    expect(() => assertAdapter(card.load())).not.toThrow();
  });

  it('has every agent in the file of all, and there it is the same', () => {
    const apart = builtInAdapters();
    loadTogether();
    expect(builtInAdapters()).toEqual(apart);
  });

  it('has every agent that has a folder', () => {
    const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const agents = folders.map(({ name }) => name).filter((name) => !SHARED.includes(name));
    expect(BUILT_IN_CARDS.map(({ agent }) => agent)).toEqual(agents.sort());
  });

  it('gives the registry all that is asked of all agents, and loads none for it', () => {
    const registry = new Registry({ env: {} });
    for (const card of BUILT_IN_CARDS) {
      registry.registerBuiltIn({ ...card, load: () => expect.unreachable(`${card.agent} is loaded`) });
    }
    expect(registry.list().map(({ agent }) => agent)).toEqual(BUILT_IN_CARDS.map(({ agent }) => agent));
    expect(registry.hostEnvSignals()).toContain('CLAUDECODE');
    expect(registry.has('claude')).toBe(true);
    registry.unregister('claude');
    expect(registry.has('claude')).toBe(false);
  });
});

function loaded(adapter: ReturnType<(typeof BUILT_IN_CARDS)[number]['load']>) {
  const { agent, displayName, cliCommand, minVersion, hostEnvSignals } = adapter;
  return { agent, displayName, cliCommand, minVersion, hostEnvSignals, modes: modesOf(adapter) };
}
