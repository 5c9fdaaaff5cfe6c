import { describe, expect, it } from 'vitest';
import { amux, createTestHome, TIMEOUT_MS } from './amux.ts';

const testHome = createTestHome();
const options = { timeout: TIMEOUT_MS };

describe('amux models', () => {
  it('shows an overview and the models of one agent', options, async () => {
    expect((await amux(testHome, ['models'])).stdout).toMatch(/^demo +\d+ +\S+ +amux$/m);
    const { code, stdout } = await amux(testHome, ['models', 'claude', '--bundled']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^MODEL +ALIASES +CONTEXT/m);
    expect(stdout).toMatch(/^claude-\S*sonnet\S* +sonnet +1M +yes +yes +[\d.]+\/[\d.]+$/m);
    expect(stdout).toContain('Built into this version of amux.');
    expect(stdout).toMatch(/Prices: vendor list prices as of 20\d\d-\d\d-\d\d\./);
    const json = JSON.parse((await amux(testHome, ['models', 'claude', '--bundled', '--json'])).stdout);
    expect(json).toMatchObject({ agent: 'claude', source: 'bundled', defaultModel: expect.any(String) });
    expect(json.models.length).toBeGreaterThan(1);
  });

  it('suggests the right name for a typo', options, async () => {
    expect(await amux(testHome, ['models', 'check', 'claude', 'sonnet', '--bundled'])).toMatchObject({ code: 0 });
    expect(await amux(testHome, ['models', 'check', 'claude', 'sonet', '--bundled'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('did you mean sonnet?'),
    });
    const json = await amux(testHome, ['models', 'check', 'claude', 'sonet', '--bundled', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, suggestions: ['sonnet'] });
  });

  it('estimates a cost, and reports an unknown price', options, async () => {
    const tokens = ['--input', '1_000_000', '--output', '0'];
    const { code, stdout } = await amux(testHome, ['models', 'cost', 'claude', 'sonnet', ...tokens]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\$[\d.]+ \(estimated, claude-\S+, by the list price of 20\d\d-\d\d-\d\d\)\n$/),
    });
    const codex = await amux(testHome, ['models', 'cost', 'codex', 'gpt-5.5', ...tokens]);
    expect(codex.stdout).toMatch(/^\$5\.0000 \(estimated, gpt-5\.5, /);
    const unknown = await amux(testHome, ['models', 'cost', 'copilot', 'mai-code-1.1-flash', ...tokens]);
    expect(unknown.stdout).toMatch(/^unknown: no price known for mai-code-1\.1-flash \(prices as of 20/);
    const cached = await amux(testHome, ['models', 'cost', 'claude', 'sonnet', ...tokens, '--cache-write', '5']);
    expect(cached.stdout).toBe('unknown: no price known for claude-sonnet-5-5 for tokens written to a cache\n');
    const json = JSON.parse((await amux(testHome, ['models', 'cost', 'claude', 'nope', ...tokens, '--json'])).stdout);
    expect(json).toMatchObject({ costUsd: null, id: null });
    expect(
      await amux(testHome, ['models', 'cost', 'claude', 'sonnet', '--input', 'many', '--output', '1']),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--input: not a number of tokens: "many"'),
    });
    expect(await amux(testHome, ['models', 'cost', 'claude', 'sonnet'])).toMatchObject({ code: 2 });
  });
});
