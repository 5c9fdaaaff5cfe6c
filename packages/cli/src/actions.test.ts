import { describe, expect, it } from 'vitest';
import { commandOfActions } from './actions.ts';
import type { Given } from './command.ts';

const seen: Given[] = [];
const keep = async (given: Given) => seen.push(given);
const command = commandOfActions({
  name: 'things',
  about: 'Things.',
  flags: { force: { type: 'boolean', help: 'Do.' }, json: { type: 'boolean', help: 'JSON.' } },
  examples: [],
  actions: {
    list: { usage: '', about: 'all', maxWords: 0, flags: [], run: keep },
    add: { usage: 'NAME', about: 'one', minWords: 1, maxWords: 1, run: keep },
  },
  otherwise: 'list',
});
const run = (words: string[], flags: Given['flags'] = {}) => command.run({ words, flags });
const refusal = (words: string[], flags: Given['flags'] = {}) =>
  run(words, flags).then(
    () => 'nothing',
    (error: Error & { hint?: string }) => `${error.message} | ${error.hint}`,
  );

describe('a command of actions', () => {
  it('does what its first word says, with the words behind it', async () => {
    await run(['add', 'x'], { force: true });
    expect(seen.at(-1)).toEqual({ words: ['x'], flags: { force: true } });
    await run([], { json: true });
    expect(seen.at(-1)).toEqual({ words: [], flags: { json: true } });
  });

  it('names what is near a mistyped action, or all of them', async () => {
    expect(await refusal(['ad'])).toBe('amux things cannot "ad" | did you mean "amux things add"?');
    expect(await refusal(['zzz'])).toContain('say one of: amux things list, amux things add');
    expect(await refusal(['toString'])).toContain('cannot "toString"');
  });

  it('refuses too few and too many words, and flags of other actions', async () => {
    expect(await refusal(['add'])).toBe('amux things add needs more words | usage: amux things add NAME');
    expect(await refusal(['add', 'x', 'y'])).toContain('does not understand "y"');
    expect(await refusal(['list'], { force: true })).toContain('amux things list does not take --force');
  });
});
