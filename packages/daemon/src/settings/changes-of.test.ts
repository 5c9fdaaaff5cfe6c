import { describe, expect, it } from 'vitest';
import { changesOf } from './changes-of.ts';

const [one, two, three, four] = [1, 2, 3, 4].map((usd) => ({ per: 'day' as const, usd }));

describe('changesOf', () => {
  it('sets given values, removes null values and skips unchanged values', () => {
    const current = { retention: '90d', onLimit: 'continue', continuation: { hours: '08:00-22:00' } };
    expect(
      changesOf({ retention: null, onLimit: 'continue', parkAfter: '1h', continuation: { hours: null } }, current),
    ).toEqual([
      { path: ['retention'], value: undefined },
      { path: ['parkAfter'], value: '1h' },
      { path: ['continuation', 'hours'], value: undefined },
    ]);
    expect(changesOf({}, current)).toEqual([]);
  });

  it('changes only the list entries that differ', () => {
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

  it('keeps the URL and secret of a target unless they are given', () => {
    const phone = { type: 'webhook', url: 'https://example.com/a-topic', secretFile: '/s' };
    const at = ['notify', 'targets', 'phone'];
    const change = (options: Parameters<typeof changesOf>[0]['notify'], secrets?: Map<string, string>) =>
      changesOf({ notify: options }, { notify: { targets: { phone } } }, secrets);
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
