import { describe, expect, it } from 'vitest';
import { secretsOf } from './secrets.ts';

describe('secretsOf', () => {
  it('includes variables with secret names, of the machine and of the caller', () => {
    expect(secretsOf({ A_TOKEN: 'correct-horse', HOME: '/home/me' }, { MY_PASSWORD: 'battery' })).toEqual([
      'correct-horse',
      'battery',
    ]);
  });

  it('includes values of the caller that look like a key, whatever their name', () => {
    const key = 'ab12cd34ef56ab12cd34';
    expect(secretsOf({ SOMETHING: key }, {})).toEqual([]);
    expect(secretsOf({}, { SOMETHING: key, OTHER: `x-${key}` })).toEqual([`x-${key}`, key]);
  });

  it('excludes paths, addresses, names and common values', () => {
    const options = {
      DEBUG: '1',
      A_KEY: 'true',
      KEY_MODE: 'default',
      B_TOKEN: 'none',
      KEY_FILE: '/home/me/.ssh/id_ed25519',
      TOKEN_URL: 'https://example.com/token',
      MODEL: 'claude-sonnet-4-20250514',
      ID: '0b9c1f2e-2b1d-4c55-9c4a-1f2e2b1d4c55',
      FOLDER: '/srv/ab12cd34ef56ab12cd34/x',
      MAX_TOKENS: '100000000',
    };
    expect(secretsOf({}, options)).toEqual([]);
  });
});
