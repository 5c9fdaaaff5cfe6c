import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hermesAdapter } from './index.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermes-auth-'));
  mkdirSync(join(home, '.hermes'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('login of Hermes', () => {
  it('lists every provider with its auth method', async () => {
    writeFileSync(join(home, '.hermes', '.env'), 'OPENAI_API_KEY=secret-two\n');
    writeFileSync(join(home, '.hermes', 'auth.json'), '{"providers":{"nous":{"token":"secret-three"},"codex":{}}}');
    const env = { HOME: home, OPENROUTER_API_KEY: 'secret-one', ANTHROPIC_API_KEY: 'secret-four' };
    const state = await hermesAdapter.detectAuth(env);
    expect(state).toEqual({
      status: 'authenticated',
      method: 'api_key',
      details: [
        'OpenRouter: api_key (OPENROUTER_API_KEY is set)',
        'Anthropic: api_key (ANTHROPIC_API_KEY is set)',
        'OpenAI: api_key (~/.hermes/.env is present)',
        'nous and codex: oauth (~/.hermes/auth.json is present)',
      ].join(', '),
    });
    expect(JSON.stringify(state)).not.toContain('secret');
  });

  it('is unknown without one', async () => {
    expect(await hermesAdapter.detectAuth({ HOME: home })).toMatchObject({ status: 'unknown' });
  });
});
