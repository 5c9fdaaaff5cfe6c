import { describe, expect, it } from 'vitest';
import { chooseRequest } from './choose-request.ts';

const row = (id: string, sessionId: string) => ({ id, sessionId });
const open = [row('r1aa', 's1aa'), row('r2bb', 's2bb'), row('r2cc', 's2bb')];
const idsOf = (id: string, within?: string) => {
  const chosen = chooseRequest(open, id, within);
  return [chosen.kind, chosen.kind === 'one' ? chosen.request.id : 'requests' in chosen ? chosen.requests.length : 0];
};

describe('chooseRequest', () => {
  it.each([
    ['a session with one request', 's1', undefined, ['one', 'r1aa']],
    ['a session with several requests', 's2', undefined, ['several', 2]],
    ['one request of a session', 's2', 'r2c', ['one', 'r2cc']],
    ['a prefix shared by two requests of a session', 's2', 'r2', ['several', 2]],
    ['a request prefix', 'r2b', undefined, ['one', 'r2bb']],
    ['a full request id', 'r2cc', undefined, ['one', 'r2cc']],
    ['a prefix shared by two sessions', 's', undefined, ['ambiguous', 3]],
    ['an unknown id', 'x', undefined, ['none', 0]],
    ['an unknown request of a session', 's1', 'r2', ['none', 0]],
  ])('%s', (_, id, within, wanted) => {
    expect(idsOf(id, within)).toEqual(wanted);
  });

  it('is ambiguous if a session and a request of another session match', () => {
    const chosen = chooseRequest([row('a1', 's1'), row('r9', 'a2')], 'a');
    expect(chosen.kind).toBe('ambiguous');
  });
});
