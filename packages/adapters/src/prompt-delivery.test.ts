import { type AgentAdapter, type AgentMode, findAdapterIssues, modesOf, promptDeliveryOf } from '@agent-mux/core';
import { createResolvedOptions } from '@agent-mux/testkit';
import { describe, expect, it } from 'vitest';
import { builtInAdapters } from './catalog.ts';

const MARKER = 'prompt delivery marker';
const modes = builtInAdapters().flatMap((adapter) => modesOf(adapter).map((mode) => ({ adapter, mode })));

/** Where the prompt is in the launch of the engine. */
function findDeliveries(adapter: AgentAdapter, mode: AgentMode, prompt: string): string[] {
  const approvalMode = mode.capabilities.approvalModes.at(-1) ?? 'prompt';
  const options = createResolvedOptions({ agent: adapter.agent, mode: mode.name, prompt, approvalMode });
  const { args, env = {}, files = {}, stdin = '' } = adapter.buildSpawnArgs(options, {});
  const places = { stdin: [stdin], argv: args, file: Object.values(files), env: Object.values(env) };
  return Object.entries(places).flatMap(([place, texts]) => (texts.some((text) => text.includes(MARKER)) ? place : []));
}

describe('reported prompt delivery', () => {
  const oneshots = modes.filter(({ mode }) => mode.driver === 'oneshot');
  it.each(oneshots.map((each) => [`${each.adapter.agent}/${each.mode.name}`, each] as const))(
    'matches %s',
    (_, { adapter, mode }) => {
      expect(findDeliveries(adapter, mode, MARKER)).toEqual([promptDeliveryOf(mode)]);
      expect(findDeliveries(adapter, mode, `--${MARKER} "quoted"`)).toEqual([promptDeliveryOf(mode)]);
    },
  );

  it('follows from the driver of any other mode', () => {
    const others = modes.filter(({ mode }) => mode.driver !== 'oneshot');
    for (const { mode } of others) {
      expect(promptDeliveryOf(mode)).toBe(mode.driver === 'http' ? 'http' : 'protocol');
    }
    expect(new Set(others.map(({ mode }) => mode.driver))).toEqual(new Set(['live', 'acp', 'http']));
  });

  it('is rejected if it is unknown or contradicts the driver', () => {
    const faultsWith = (agent: string, promptDelivery: string) => {
      const adapter = builtInAdapters().find((each) => each.agent === agent);
      const [first, ...rest] = adapter?.modes ?? [];
      const altered = { ...adapter, modes: [{ ...first, promptDelivery }, ...rest] };
      return findAdapterIssues(altered).map(({ field, problem }) => `${field} ${problem}`);
    };
    expect(faultsWith('aider', 'pigeon')).toEqual(['modes[0].promptDelivery must be one of stdin, argv, file']);
    expect(faultsWith('claude', 'argv')).toEqual([
      'modes[0].promptDelivery is determined by the driver; only oneshot modes may set it',
    ]);
  });
});
