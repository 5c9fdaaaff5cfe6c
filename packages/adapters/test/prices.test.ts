import { describe, expect, it } from 'vitest';
import { builtInAdapters } from '../src/built-in.ts';

describe('the prices of models', () => {
  it('stand in one table of core, and in no adapter; the demonstration has a model that exists nowhere else', () => {
    const priced = builtInAdapters().filter(({ models }) => models.some(({ pricing }) => pricing !== undefined));
    expect(priced.map(({ agent }) => agent)).toEqual(['demo']);
  });
});
