import { expect, it } from 'vitest';
import type { OpenForTest } from '../store-suite.ts';
import { makeSession, NOON } from './made-up.ts';
import { useStore } from './use-store.ts';

export function describeRecords(open: OpenForTest): void {
  const store = useStore(open);

  it('keep the audit in order, and tell it by session and from a place on', async () => {
    for (const [at, sessionId] of ['a', null, 'b', 'a'].entries()) {
      await store().appendAudit({ time: NOON - at, who: 'a person', action: `act.${at}`, sessionId, detail: { at } });
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
      time: NOON,
      who: 'a person',
      action: 'act.0',
      sessionId: 'a',
      detail: { at: 0 },
    });
    expect(await store().readAudit({ after: first?.id, limit: 10 })).toEqual(rest);
    expect(await store().readAudit({ before: rest[2]?.id, limit: 2 })).toEqual(rest.slice(0, 2));
    expect(await store().readAudit({ before: first?.id, limit: 2 })).toEqual([]);
  });

  it('keep the audit of a session that was deleted', async () => {
    await store().insertSession(makeSession('a'));
    await store().appendAudit({ time: NOON, who: 'x', action: 'session.stop', sessionId: 'a', detail: {} });
    await store().deleteSession('a');
    expect(await store().readAudit({ sessionId: 'a', limit: 10 })).toHaveLength(1);
  });

  it('keep small facts by kind and key', async () => {
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

  it('are dropped by their age, of one kind', async () => {
    await store().putRecord('delivery', 'old', true, NOON);
    await store().putRecord('delivery', 'new', true, NOON + 1);
    await store().putRecord('browser', 'old', true, NOON);
    expect(await store().dropRecords('delivery', NOON + 1)).toBe(1);
    expect(await store().listRecords('delivery')).toMatchObject([{ key: 'new' }]);
    expect(await store().listRecords('browser')).toHaveLength(1);
  });

  it('remember a delivery with what it has changed: the same again changes nothing', async () => {
    const insert = makeSession('a', { turns: 1 });
    const record = { kind: 'hooks', key: 'a', value: { told: 1 } };
    expect(await store().takeDelivery({ key: 'd1', now: NOON, insert, record })).toBe(true);
    expect(await store().takeDelivery({ key: 'd1', now: NOON, insert, record })).toBe(false);
    const update = { id: 'a', change: { turns: 2, addMetadata: { title: 'x' } } };
    const more = { key: 'd2', now: NOON, update, record: { ...record, value: { told: 2 } } };
    expect(await store().takeDelivery(more)).toBe(true);
    const before = await store().revision();
    const other = { ...more, update: { id: 'a', change: { turns: 3 } }, record: { ...record, value: null } };
    expect(await store().takeDelivery(other)).toBe(false);
    expect(await store().getSession('a')).toMatchObject({ turns: 2, metadata: { title: 'x' } });
    expect(await store().getRecord('hooks', 'a')).toEqual({ told: 2 });
    expect(await store().revision()).toBe(before);
  });

  it('forget a delivery whose rows cannot be written, so that it can come again', async () => {
    await store().insertSession(makeSession('a'));
    const insert = makeSession('a');
    await expect(store().takeDelivery({ key: 'd1', now: NOON, insert })).rejects.toMatchObject({ code: 'TAKEN' });
    expect(await store().takeDelivery({ key: 'd1', now: NOON })).toBe(true);
  });

  it('of hooks go with their session', async () => {
    await store().insertSession(makeSession('a'));
    await store().putRecord('hooks', 'a', 1, NOON);
    await store().putRecord('hooks', 'b', 1, NOON);
    await store().deleteSession('a');
    expect(await store().listRecords('hooks')).toMatchObject([{ key: 'b' }]);
  });

  it('change no revision', async () => {
    await store().putRecord('browser', 'one', 1, NOON);
    await store().appendAudit({ time: NOON, who: 'x', action: 'y', sessionId: null, detail: {} });
    expect(await store().revision()).toBe(0);
  });
}
