import { ValidationError } from '@agent-mux/core';
import { describe, expect, it } from 'vitest';
import { expandEnvReferences } from './env-references.ts';

describe('references to environment variables', () => {
  it('are replaced anywhere in a value', () => {
    const values = { Authorization: 'Bearer $' + '{env:KEY}', plain: '$KEY stays' };
    expect(expandEnvReferences('a', 'http.headers', values, { KEY: 'k1' })).toEqual({
      Authorization: 'Bearer k1',
      plain: '$KEY stays',
    });
  });

  it('are all listed at once if they cannot be resolved', () => {
    const values = { One: '$' + '{env:NO_ONE}', Two: '$' + '{env:NO_TWO}' };
    const attempt = () => expandEnvReferences('a', 'http.headers', values, {});
    expect(attempt).toThrow(ValidationError);
    expect(attempt).toThrow(/http\.headers\.One: .*NO_ONE.*http\.headers\.Two: .*NO_TWO/);
  });
});
