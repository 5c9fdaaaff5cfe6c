import { describe, expect, it } from 'vitest';
import { chooseRequest } from './choose-request.ts';

const row = (id: string, sessionId: string) => ({ id, sessionId });
const open = [row('r1aa', 's1aa'), row('r2bb', 's2bb'), row('r2cc', 's2bb')];
const idsOf = (id: string, within?: string) => {
  const chosen = chooseRequest(open, id, within);
  return [chosen.kind, chosen.kind === 'one' ? chosen.request.id : 'requests' in chosen ? chosen.requests.length : 0];
};

describe('which request is meant', () => {
  it.each([
    ['a session with one', 's1', undefined, ['one', 'r1aa']],
    ['a session with several', 's2', undefined, ['several', 2]],
    ['one of them', 's2', 'r2c', ['one', 'r2cc']],
    ['a beginning that two of them have', 's2', 'r2', ['several', 2]],
    ['a request itself', 'r2b', undefined, ['one', 'r2bb']],
    ['a request in full', 'r2cc', undefined, ['one', 'r2cc']],
    ['the beginning of two sessions', 's', undefined, ['ambiguous', 3]],
    ['none', 'x', undefined, ['none', 0]],
    ['none of the session', 's1', 'r2', ['none', 0]],
  ])('%s', (_, id, within, wanted) => {
    expect(idsOf(id, within)).toEqual(wanted);
  });

  it('is a question where a session and a request of another one begin so', () => {
    const chosen = chooseRequest([row('a1', 's1'), row('r9', 'a2')], 'a');
    expect(chosen.kind).toBe('ambiguous');
  });
});
