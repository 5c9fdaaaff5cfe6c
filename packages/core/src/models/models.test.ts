import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainAdapter } from '../../test/plain-adapter.ts';
import { type Scratch, useScratch } from '../../test/scratch.ts';
import type { AgentAdapter } from '../contract/adapter.ts';
import type { ModelCapabilities } from '../contract/capabilities.ts';
import { Registry } from '../registry/registry.ts';
import { Models } from './models.ts';
import { findListPrice, PRICE_LISTS, PRICES_AS_OF } from './prices.ts';

const scratch = useScratch();

function model(id: string, over: Partial<ModelCapabilities> = {}): ModelCapabilities {
  return {
    id,
    contextWindow: null,
    maxOutputTokens: null,
    supportsThinking: false,
    supportsImageInput: false,
    ...over,
  };
}

const BUNDLED = [
  model('acme-large-2', {
    aliases: ['large'],
    displayName: 'Large 2',
    contextWindow: 1000,
    supportsThinking: true,
    pricing: { input: 2, output: 10, cacheRead: 0.2 },
  }),
  model('acme-small-2', { pricing: { input: 1, output: 5 } }),
  model('acme-free'),
];

const QUERY: AgentAdapter['modelQuery'] = {
  args: ['models', '--all'],
  parse({ stdout, exitCode }) {
    if (exitCode !== 0) throw new Error('it failed');
    return stdout
      .trim()
      .split('\n')
      .map((id) => model(id));
  },
};

/** An agent that reports its models and records each start. */
function acme(home: Scratch, over: Partial<AgentAdapter> = {}) {
  const starts = home.write('starts', '');
  home.command('acme', `echo "$@" >> ${starts}\nprintf 'acme-large-2\\nacme-new-3\\n'`);
  const registry = new Registry({ env: home.env });
  registry.register(plainAdapter('acme', { models: BUNDLED, modelQuery: QUERY, ...over }));
  const models = () => new Models({ adapters: registry, env: home.env });
  return { models: models(), another: models, starts: () => readFileSync(starts, 'utf8').split('\n').length - 1 };
}

describe('model list', () => {
  it('has the models the agent reports, with bundled details', async () => {
    const { models } = acme(scratch());
    const list = await models.list('acme');
    expect(list).toMatchObject({ agent: 'acme', source: 'agent', askedAt: expect.any(Number) });
    expect(list.models).toEqual([BUNDLED[0], model('acme-new-3')]);
  });

  it('is queried once, cached for other processes, and refreshed on demand', async () => {
    const home = scratch();
    const { models, another, starts } = acme(home);
    const first = await models.list('acme');
    expect(await another().list('acme')).toEqual(first);
    expect(starts()).toBe(1);
    await models.list('acme', { refresh: true });
    expect(starts()).toBe(2);
    home.command('acme', `echo acme-newer-4`);
    expect((await another().list('acme')).models).toEqual([model('acme-newer-4')]);
  });

  it('is queried again if the cache is old or broken', async () => {
    const home = scratch();
    const { models, starts } = acme(home);
    await models.list('acme');
    const folder = join(home.home, '.cache/agent-mux/models');
    const file = join(folder, readdirSync(folder)[0] ?? '');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/"askedAt":\d+/, '"askedAt":1000'));
    await models.list('acme');
    expect(starts()).toBe(2);
    for (const [index, broken] of ['{', '[]', `{"askedAt":${Date.now()},"models":[{}]}`].entries()) {
      writeFileSync(file, broken);
      expect((await models.list('acme')).source).toBe('agent');
      expect(starts()).toBe(index + 3);
    }
  });

  it('is the bundled one, with the reason, if the query fails', async () => {
    const home = scratch();
    const { models } = acme(home);
    home.command('acme', 'echo "log in first" >&2; exit 3');
    expect(await models.list('acme')).toEqual({
      agent: 'acme',
      source: 'bundled',
      problem: '"acme models --all" ended with code 3: log in first',
      models: BUNDLED,
    });
    const absent = acme(scratch(), { cliCommand: 'acme-is-not-here' });
    expect(await absent.models.list('acme')).toMatchObject({
      source: 'bundled',
      problem: expect.stringContaining('not installed'),
    });
  });

  it('starts nothing for the bundled list or an agent without a query', async () => {
    const home = scratch();
    const { models, starts } = acme(home);
    expect(await models.list('acme', { bundledOnly: true })).toEqual({
      agent: 'acme',
      source: 'bundled',
      models: BUNDLED,
    });
    const mute = acme(home, { modelQuery: undefined });
    expect(await mute.models.list('acme')).toEqual({ agent: 'acme', source: 'bundled', models: BUNDLED });
    expect(starts()).toBe(0);
  });
});

describe('model', () => {
  const models = () => acme(scratch(), { modelQuery: undefined }).models;

  it('is found by id, by alias, and case-insensitively', async () => {
    for (const name of ['acme-large-2', 'large', 'ACME-LARGE-2', 'Large']) {
      expect(await models().find('acme', name)).toBe(BUNDLED[0]);
    }
    expect(await models().find('acme', 'huge')).toBeNull();
  });

  it('is validated, with suggestions', async () => {
    expect(await models().validate('acme', 'large')).toEqual({
      agent: 'acme',
      model: 'large',
      ok: true,
      id: 'acme-large-2',
      source: 'bundled',
      suggestions: [],
    });
    expect(await models().validate('acme', 'acme-lrage-2')).toMatchObject({
      ok: false,
      suggestions: expect.arrayContaining(['acme-large-2']),
    });
    expect(await models().validate('acme', 'small')).toMatchObject({ ok: false, suggestions: ['acme-small-2'] });
    expect(await models().validate('acme', 'zzz')).toMatchObject({ ok: false, suggestions: [] });
  });

  it('is accepted if no models are known', async () => {
    const blank = acme(scratch(), { modelQuery: undefined, models: [] }).models;
    expect(await blank.validate('acme', 'x')).toMatchObject({ ok: true, source: null });
  });

  it('defaults to the native configuration, else to the adapter', async () => {
    const home = scratch();
    const over = { modelQuery: undefined, defaultModelId: 'acme-free' };
    expect(await acme(home, over).models.defaultModel('acme')).toBe('acme-free');
    const set = { ...over, readConfig: async () => ({ model: 'acme-small-2' }) };
    expect(await acme(home, set).models.defaultModel('acme')).toBe('acme-small-2');
    const broken = { ...over, readConfig: () => Promise.reject(new Error('broken')) };
    expect(await acme(home, broken).models.defaultModel('acme')).toBe('acme-free');
    expect(await acme(home, { modelQuery: undefined }).models.defaultModel('acme')).toBeNull();
  });
});

describe('estimated cost', () => {
  const cost = (name: string, usage: Parameters<Models['estimateCost']>[2]) =>
    acme(scratch(), { modelQuery: undefined }).models.estimateCost('acme', name, usage);

  it('adds up the cost of each kind of token', async () => {
    const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cacheReadTokens: 500_000 };
    expect(await cost('large', usage)).toBeCloseTo(2 + 1 + 0.1);
    expect(await cost('acme-small-2', { inputTokens: 0, outputTokens: 0, cacheReadTokens: null })).toBe(0);
  });

  it('is null, never 0, if a price, a count or the model is unknown', async () => {
    expect(await cost('acme-free', { inputTokens: 10, outputTokens: 10 })).toBeNull();
    expect(await cost('unknown', { inputTokens: 10, outputTokens: 10 })).toBeNull();
    expect(await cost('acme-small-2', { inputTokens: 10, outputTokens: 10, cacheReadTokens: 5 })).toBeNull();
    expect(await cost('large', { inputTokens: 10, outputTokens: 10, cacheCreationTokens: 5 })).toBeNull();
    expect(await cost('large', { inputTokens: 10 })).toBeNull();
    expect(await cost('large', { inputTokens: -5, outputTokens: 1 })).toBeNull();
  });
});

describe('price table', () => {
  it('has each model once, with plausible prices, a date and a source', () => {
    const names = PRICE_LISTS.flatMap(({ models }) => Object.keys(models));
    expect(new Set(names).size).toBe(names.length);
    expect(PRICES_AS_OF).toMatch(/^20\d\d-\d\d-\d\d$/);
    for (const { source, models } of PRICE_LISTS) {
      expect(source).not.toBe('');
      for (const [input, output, cacheRead = 0] of Object.values(models)) {
        expect(input).toBeGreaterThan(0);
        expect(output).toBeGreaterThanOrEqual(input);
        expect(cacheRead).toBeLessThan(input);
      }
    }
  });

  it('finds a model by the names agents use', () => {
    const price = findListPrice('claude-opus-4-8');
    expect(price).toMatchObject({ input: 5, output: 25, asOf: PRICES_AS_OF, source: expect.any(String) });
    for (const name of ['anthropic/claude-opus-4.8', 'claude-opus-4-8-20260101', 'Claude-Opus-4.8'])
      expect(findListPrice(name)).toEqual(price);
    for (const name of ['claude-opus-4-8-fast', 'unknown', '']) expect(findListPrice(name)).toBeUndefined();
  });

  it('applies to every agent unless the agent reports a price', async () => {
    const reported = [model('gpt-5.5'), model('gpt-5.4', { pricing: { input: 1, output: 2 } }), model('acme-free')];
    const { models } = acme(scratch(), { modelQuery: undefined, models: reported });
    const [listed, own, none] = (await models.list('acme')).models;
    expect(listed?.pricing).toMatchObject({ input: 5, output: 30, asOf: PRICES_AS_OF });
    expect(own?.pricing).toEqual({ input: 1, output: 2 });
    expect(none).not.toHaveProperty('pricing');
    expect(await models.estimateCost('acme', 'openai/gpt-5.5', { inputTokens: 1e6, outputTokens: 0 })).toBe(5);
  });
});
