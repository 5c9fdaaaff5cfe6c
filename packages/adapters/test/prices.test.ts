import { describe, expect, it } from 'vitest';
import { builtInAdapters } from '../src/catalogue.ts';

describe('the prices of models', () => {
  it('stand in one table of core, and in no adapter; the demonstration has a model that exists nowhere else', () => {
    const priced = builtInAdapters().filter(({ models }) => models.some(({ pricing }) => pricing !== undefined));
    expect(priced.map(({ agent }) => agent)).toEqual(['demo']);
  });
});

describe('the context window of a mode', () => {
  it('is that of the model which the agent uses when nobody names one', () => {
    for (const { agent, models, defaultModelId, modes = [] } of builtInAdapters()) {
      const window = models.find(({ id }) => id === defaultModelId)?.contextWindow ?? null;
      const said = modes.map(({ capabilities }) => capabilities.contextWindow);
      expect({ agent, windows: said }).toEqual({ agent, windows: said.map(() => window) });
    }
  });
});
