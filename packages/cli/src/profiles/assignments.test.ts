import { describe, expect, it } from 'vitest';
import { readAssignments } from './assignments.ts';

const readValue = (word: string, current = {}) => readAssignments([word], current)[0];

describe('FIELD=VALUE', () => {
  it.each([
    ['model=opus', ['model'], 'opus'],
    ['model=4', ['model'], '4'],
    ['timeout=5000', ['timeout'], 5000],
    ['timeout=5m', ['timeout'], 300_000],
    ['debug=true', ['debug'], true],
    ['tags=a,b', ['tags'], ['a', 'b']],
    ['tags=["a,b"]', ['tags'], ['a,b']],
    ['tags=one', ['tags'], ['one']],
    ['env.PORT=80', ['env', 'PORT'], '80'],
    ['env.URL=a=b', ['env', 'URL'], 'a=b'],
    ['retryPolicy.maxRetries=3', ['retryPolicy', 'maxRetries'], 3],
    ['mcpServers={"x":{"command":"y"}}', ['mcpServers'], { x: { command: 'y' } }],
    ['mcpServers.x.command=y', ['mcpServers', 'x', 'command'], 'y'],
    ['model=', ['model'], undefined],
  ])('%s', (word, path, value) => {
    expect(readValue(word)).toEqual({ path, value });
  });

  it('converts values by the type of the existing entry', () => {
    const current = { mcpServers: { x: { command: 'y' } } };
    expect(readValue('mcpServers.x.args=a,b', current)?.value).toEqual(['a', 'b']);
  });

  it.each(['model', '=x', 'env.=x', ''])('rejects %j', (word) => {
    expect(() => readAssignments([word], {})).toThrow('is not FIELD=VALUE');
  });
});
