import { expect, it } from 'vitest';
import type { OpenForTest } from '../store-suite.ts';
import { makeMessage, makeSession, NOON } from './made-up.ts';
import { useStore } from './use-store.ts';

export function describeMessages(open: OpenForTest): void {
  const store = useStore(open);

  it('come back as they were given', async () => {
    await store().insertSession(makeSession('a'));
    const given = makeMessage('a', 'Own.id-1', { files: ['f1', 'f2'], mode: 'steer', by: 'a browser' });
    const { message, isNew } = await store().insertMessage(given);
    expect(isNew).toBe(true);
    expect(message).toEqual({ ...given, rev: expect.any(Number) });
    expect(await store().getMessage('a', 'Own.id-1')).toEqual(message);
    expect(await store().getMessage('a', 'other')).toBeNull();
  });

  it('are the row that is there when the id was used before in that session', async () => {
    await store().insertSession(makeSession('a'));
    await store().insertSession(makeSession('b'));
    const { message } = await store().insertMessage(makeMessage('a', 'm', { text: 'first' }));
    const revision = await store().revision();
    expect(await store().insertMessage(makeMessage('a', 'm', { text: 'second' }))).toEqual({ message, isNew: false });
    expect(await store().revision()).toBe(revision);
    expect(await store().insertMessage(makeMessage('b', 'm', { text: 'third' }))).toMatchObject({ isNew: true });
    expect(await store().getMessage('a', 'm')).toMatchObject({ text: 'first' });
  });

  it('need a session', async () => {
    await expect(store().insertMessage(makeMessage('nobody', 'm'))).rejects.toThrow(/nobody/);
  });

  it('change in the given fields alone', async () => {
    await store().insertSession(makeSession('a'));
    const { message } = await store().insertMessage(makeMessage('a', 'm'));
    const error = { code: 'AGENT_ERROR', message: 'no' };
    const changed = await store().updateMessage('a', 'm', { state: 'failed', error, endedAt: NOON + 1 });
    expect(changed).toEqual({ ...message, state: 'failed', error, endedAt: NOON + 1, rev: changed?.rev });
    expect(changed?.rev).toBeGreaterThan(message.rev);
    expect(await store().updateMessage('a', 'other', { state: 'failed' })).toBeNull();
  });

  it('are listed in the order in which they came, whatever the clock said, by state where that is asked', async () => {
    await store().insertSession(makeSession('a'));
    await store().insertMessage(makeMessage('a', 'one', { createdAt: NOON + 5 }));
    await store().insertMessage(makeMessage('a', 'two', { createdAt: NOON - 5 }));
    await store().insertMessage(makeMessage('a', 'three'));
    await store().updateMessage('a', 'two', { state: 'accepted' });
    const idsOf = async (...states: Parameters<ReturnType<typeof store>['listMessages']>[1] & object) =>
      (await store().listMessages('a', states.length > 0 ? states : undefined)).map(({ id }) => id);
    expect(await idsOf()).toEqual(['one', 'two', 'three']);
    expect(await idsOf('queued')).toEqual(['one', 'three']);
    expect(await idsOf('queued', 'accepted')).toEqual(['one', 'two', 'three']);
    expect(await store().listMessages('a', [])).toEqual([]);
    expect(await store().listMessages('b')).toEqual([]);
  });
}
