import { expect, it } from 'vitest';
import type { OpenForTest } from '../store-suite.ts';
import { createMessage, createSession, NOON } from './fixtures.ts';
import { useStore } from './use-store.ts';

export function describeMessages(open: OpenForTest): void {
  const store = useStore(open);

  it('are returned as inserted', async () => {
    await store().insertSession(createSession('a'));
    const options = createMessage('a', 'Own.id-1', { files: ['f1', 'f2'], mode: 'steer', by: 'a browser' });
    const { message, isNew } = await store().insertMessage(options);
    expect(isNew).toBe(true);
    expect(message).toEqual({ ...options, rev: expect.any(Number) });
    expect(await store().getMessage('a', 'Own.id-1')).toEqual(message);
    expect(await store().getMessage('a', 'other')).toBeNull();
  });

  it('return the existing row if the id is already used in the session', async () => {
    await store().insertSession(createSession('a'));
    await store().insertSession(createSession('b'));
    const { message } = await store().insertMessage(createMessage('a', 'm', { text: 'first' }));
    const revision = await store().revision();
    expect(await store().insertMessage(createMessage('a', 'm', { text: 'second' }))).toEqual({ message, isNew: false });
    expect(await store().revision()).toBe(revision);
    expect(await store().insertMessage(createMessage('b', 'm', { text: 'third' }))).toMatchObject({ isNew: true });
    expect(await store().getMessage('a', 'm')).toMatchObject({ text: 'first' });
  });

  it('require a session', async () => {
    await expect(store().insertMessage(createMessage('missing', 'm'))).rejects.toThrow(/missing/);
  });

  it('change only in the given fields', async () => {
    await store().insertSession(createSession('a'));
    const { message } = await store().insertMessage(createMessage('a', 'm'));
    const error = { code: 'AGENT_ERROR', message: 'no' };
    const changed = await store().updateMessage('a', 'm', { state: 'failed', error, endedAt: NOON + 1 });
    expect(changed).toEqual({ ...message, state: 'failed', error, endedAt: NOON + 1, rev: changed?.rev });
    expect(changed?.rev).toBeGreaterThan(message.rev);
    expect(await store().updateMessage('a', 'other', { state: 'failed' })).toBeNull();
  });

  it('are listed in insertion order, optionally by state', async () => {
    await store().insertSession(createSession('a'));
    await store().insertMessage(createMessage('a', 'one', { createdAt: NOON + 5 }));
    await store().insertMessage(createMessage('a', 'two', { createdAt: NOON - 5 }));
    await store().insertMessage(createMessage('a', 'three'));
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
