import { expect, it } from 'vitest';
import type { OpenForTest } from '../store-suite.ts';
import { createSession, NOON } from './fixtures.ts';
import { useStore } from './use-store.ts';

export function describeRecords(open: OpenForTest): void {
  const store = useStore(open);

  it('keep the audit log in order, readable by session and from a position', async () => {
    for (const [at, sessionId] of ['a', null, 'b', 'a'].entries()) {
      await store().appendAudit({
        timestamp: NOON - at,
        actor: 'a person',
        action: `act.${at}`,
        sessionId,
        detail: { at },
      });
    }
    const actions = async (query: Parameters<ReturnType<typeof store>['readAudit']>[0]) =>
      (await store().readAudit(query)).map(({ action }) => action);
    expect(await actions({ limit: 10 })).toEqual(['act.0', 'act.1', 'act.2', 'act.3']);
    expect(await actions({ limit: 2 })).toEqual(['act.2', 'act.3']);
    expect(await actions({ after: 0, limit: 2 })).toEqual(['act.0', 'act.1']);
    expect(await actions({ sessionId: 'a', limit: 10 })).toEqual(['act.0', 'act.3']);
    const [first, ...rest] = await store().readAudit({ limit: 10 });
    expect(first).toEqual({
      id: expect.any(Number),
      timestamp: NOON,
      actor: 'a person',
      action: 'act.0',
      sessionId: 'a',
      detail: { at: 0 },
    });
    expect(await store().readAudit({ after: first?.id, limit: 10 })).toEqual(rest);
    expect(await store().readAudit({ before: rest[2]?.id, limit: 2 })).toEqual(rest.slice(0, 2));
    expect(await store().readAudit({ before: first?.id, limit: 2 })).toEqual([]);
  });

  it('keep the audit log of a deleted session', async () => {
    await store().insertSession(createSession('a'));
    await store().appendAudit({ timestamp: NOON, actor: 'x', action: 'session.stop', sessionId: 'a', detail: {} });
    await store().deleteSession('a');
    expect(await store().readAudit({ sessionId: 'a', limit: 10 })).toHaveLength(1);
  });

  it('store values by kind and key', async () => {
    expect(await store().getRecord('browser', 'one')).toBeUndefined();
    await store().putRecord('browser', 'two', { name: 'phone', list: [null, 1] }, NOON);
    await store().putRecord('browser', 'one', null, NOON + 1);
    await store().putRecord('other', 'one', 'text', NOON + 2);
    expect(await store().getRecord('browser', 'two')).toEqual({ name: 'phone', list: [null, 1] });
    expect(await store().getRecord('browser', 'one')).toBeNull();
    expect(await store().listRecords('browser')).toEqual([
      { key: 'one', value: null, updatedAt: NOON + 1 },
      { key: 'two', value: { name: 'phone', list: [null, 1] }, updatedAt: NOON },
    ]);
    await store().putRecord('browser', 'two', 'new', NOON + 3);
    expect(await store().listRecords('browser')).toMatchObject([{}, { key: 'two', value: 'new', updatedAt: NOON + 3 }]);
    expect(await store().deleteRecord('browser', 'two')).toBe(true);
    expect(await store().deleteRecord('browser', 'two')).toBe(false);
    expect(await store().getRecord('other', 'one')).toBe('text');
    await expect(store().putRecord('browser', 'three', undefined, NOON)).rejects.toThrow(TypeError);
  });

  it('are deleted by age within a kind', async () => {
    await store().putRecord('delivery', 'old', true, NOON);
    await store().putRecord('delivery', 'new', true, NOON + 1);
    await store().putRecord('browser', 'old', true, NOON);
    expect(await store().dropRecords('delivery', NOON + 1)).toBe(1);
    expect(await store().listRecords('delivery')).toMatchObject([{ key: 'new' }]);
    expect(await store().listRecords('browser')).toHaveLength(1);
  });

  it('apply a delivery only once', async () => {
    const insert = createSession('a', { turns: 1 });
    const record = { kind: 'hooks', key: 'a', value: { count: 1 } };
    expect(await store().recordDelivery({ key: 'd1', now: NOON, insert, record })).toBe(true);
    expect(await store().recordDelivery({ key: 'd1', now: NOON, insert, record })).toBe(false);
    const update = { id: 'a', change: { turns: 2, addMetadata: { title: 'x' } } };
    const more = { key: 'd2', now: NOON, update, record: { ...record, value: { count: 2 } } };
    expect(await store().recordDelivery(more)).toBe(true);
    const before = await store().revision();
    const other = { ...more, update: { id: 'a', change: { turns: 3 } }, record: { ...record, value: null } };
    expect(await store().recordDelivery(other)).toBe(false);
    expect(await store().getSession('a')).toMatchObject({ turns: 2, metadata: { title: 'x' } });
    expect(await store().getRecord('hooks', 'a')).toEqual({ count: 2 });
    expect(await store().revision()).toBe(before);
  });

  it('do not record a delivery whose rows cannot be written', async () => {
    await store().insertSession(createSession('a'));
    const insert = createSession('a');
    await expect(store().recordDelivery({ key: 'd1', now: NOON, insert })).rejects.toMatchObject({ code: 'EXISTS' });
    expect(await store().recordDelivery({ key: 'd1', now: NOON })).toBe(true);
  });

  it('of hooks are deleted with their session', async () => {
    await store().insertSession(createSession('a'));
    await store().putRecord('hooks', 'a', 1, NOON);
    await store().putRecord('hooks', 'b', 1, NOON);
    await store().deleteSession('a');
    expect(await store().listRecords('hooks')).toMatchObject([{ key: 'b' }]);
  });

  it('do not change the revision', async () => {
    await store().putRecord('browser', 'one', 1, NOON);
    await store().appendAudit({ timestamp: NOON, actor: 'x', action: 'y', sessionId: null, detail: {} });
    expect(await store().revision()).toBe(0);
  });
}
