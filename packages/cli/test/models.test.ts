import { describe, expect, it } from 'vitest';
import { amux, newPlace, PATIENCE_MS } from './amux.ts';

const place = newPlace();
const options = { timeout: PATIENCE_MS };

describe('amux models', () => {
  it('gives an overview, and the models of one agent', options, async () => {
    expect((await amux(place, ['models'])).stdout).toMatch(/^demo +\d+ +\S+ +amux$/m);
    const { code, stdout } = await amux(place, ['models', 'claude', '--bundled']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^MODEL +ALIASES +CONTEXT/m);
    expect(stdout).toMatch(/^claude-\S*sonnet\S* +sonnet +1M +yes +yes +[\d.]+\/[\d.]+$/m);
    expect(stdout).toContain('As this version of amux knows them.');
    expect(stdout).toMatch(/Prices: list prices of the vendors, seen on 20\d\d-\d\d-\d\d\./);
    const json = JSON.parse((await amux(place, ['models', 'claude', '--bundled', '--json'])).stdout);
    expect(json).toMatchObject({ agent: 'claude', source: 'bundled', defaultModel: expect.any(String) });
    expect(json.models.length).toBeGreaterThan(1);
  });

  it('finds a slip of the pen', options, async () => {
    expect(await amux(place, ['models', 'check', 'claude', 'sonnet', '--bundled'])).toMatchObject({ code: 0 });
    expect(await amux(place, ['models', 'check', 'claude', 'sonet', '--bundled'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('did you mean sonnet?'),
    });
    const json = await amux(place, ['models', 'check', 'claude', 'sonet', '--bundled', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: false, suggestions: ['sonnet'] });
  });

  it('estimates a cost, and says so where nobody knows the price', options, async () => {
    const tokens = ['--input', '1_000_000', '--output', '0'];
    const { code, stdout } = await amux(place, ['models', 'cost', 'claude', 'sonnet', ...tokens]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\$[\d.]+ \(estimated, claude-\S+, by the list price of 20\d\d-\d\d-\d\d\)\n$/),
    });
    const codex = await amux(place, ['models', 'cost', 'codex', 'gpt-5.5', ...tokens]);
    expect(codex.stdout).toMatch(/^\$5\.0000 \(estimated, gpt-5\.5, /);
    const unknown = await amux(place, ['models', 'cost', 'copilot', 'mai-code-1.1-flash', ...tokens]);
    expect(unknown.stdout).toMatch(/^unknown: amux knows no price of mai-code-1\.1-flash \(its prices are of 20/);
    const cached = await amux(place, ['models', 'cost', 'claude', 'sonnet', ...tokens, '--cache-write', '5']);
    expect(cached.stdout).toBe(
      'unknown: amux knows no price of claude-sonnet-5-5 for tokens that are written to a cache\n',
    );
    const json = JSON.parse((await amux(place, ['models', 'cost', 'claude', 'nope', ...tokens, '--json'])).stdout);
    expect(json).toMatchObject({ costUsd: null, id: null });
    expect(await amux(place, ['models', 'cost', 'claude', 'sonnet', '--input', 'many', '--output', '1'])).toMatchObject(
      {
        code: 2,
        stderr: expect.stringContaining('--input: "many"'),
      },
    );
    expect(await amux(place, ['models', 'cost', 'claude', 'sonnet'])).toMatchObject({ code: 2 });
  });
});
