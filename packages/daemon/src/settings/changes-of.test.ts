import { describe, expect, it } from 'vitest';
import { changesOf } from './changes-of.ts';

const [one, two, three, four] = [1, 2, 3, 4].map((usd) => ({ per: 'day' as const, usd }));

describe('a change of the settings', () => {
  it('sets what is given, takes out what is null, and leaves alone what is the same', () => {
    const current = { keep: '90d', onLimit: 'wait', limits: { hours: '08:00-22:00' } };
    expect(changesOf({ keep: null, onLimit: 'wait', idlePark: '1h', limits: { hours: null } }, current)).toEqual([
      { path: ['keep'], value: undefined },
      { path: ['idlePark'], value: '1h' },
      { path: ['limits', 'hours'], value: undefined },
    ]);
    expect(changesOf({}, current)).toEqual([]);
  });

  it('touches only those entries of a list that are others', () => {
    const budgets = [one!, two!, three!];
    expect(changesOf({ budgets: [one!, three!] }, { budgets })).toEqual([{ path: ['budgets', 1], value: undefined }]);
    expect(changesOf({ budgets: [one!, four!, three!] }, { budgets })).toEqual([{ path: ['budgets', 1], value: four }]);
    expect(changesOf({ budgets: [...budgets, four!] }, { budgets })).toEqual([{ path: ['budgets', 3], value: four }]);
    expect(changesOf({ budgets: [four!] }, { budgets })).toEqual([
      { path: ['budgets', 0], value: four },
      { path: ['budgets', 1], value: undefined },
      { path: ['budgets', 1], value: undefined },
    ]);
    expect(changesOf({ budgets: [one!] }, {})).toEqual([{ path: ['budgets'], value: [one] }]);
  });

  it('keeps of a target what it does not name: its address, its secret', () => {
    const phone = { type: 'webhook', url: 'https://example.com/a-topic', secretFile: '/s' };
    const at = ['notify', 'targets', 'phone'];
    const change = (given: Parameters<typeof changesOf>[0]['notify'], secrets?: Map<string, string>) =>
      changesOf({ notify: given }, { notify: { targets: { phone } } }, secrets);
    expect(change({ targets: { phone: { type: 'webhook', url: 'https://example.com/b' } } })).toEqual([
      { path: [...at, 'url'], value: 'https://example.com/b' },
    ]);
    expect(change({ targets: { phone: { type: 'webhook', secretEnv: 'HOOK' } } })).toEqual([
      { path: [...at, 'secretEnv'], value: 'HOOK' },
      { path: [...at, 'secretFile'], value: undefined },
    ]);
    expect(change({ targets: { phone: { type: 'webhook' } } }, new Map([['phone', '/new']]))).toEqual([
      { path: [...at, 'secretFile'], value: '/new' },
    ]);
    expect(change({ targets: { phone: { type: 'desktop' } } })).toEqual([{ path: at, value: { type: 'desktop' } }]);
    expect(change({ targets: { phone: null } })).toEqual([{ path: at, value: undefined }]);
  });
});
