import { appendFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { databaseOf, filesOf, StoringAdapter } from '../../test/session-agents.ts';
import { sessionHome } from '../../test/session-home.ts';
import type { SessionUpdate } from '../contract/session-queries.ts';

const options = { timeout: 60_000 };
const line = (value: unknown) => `${JSON.stringify(value)}\n`;

/** The start of watching is unknown: messages are written repeatedly until the first one arrives. */
function following(updates: AsyncIterable<SessionUpdate>) {
  const iterator = updates[Symbol.asyncIterator]();
  return {
    async firstUpdate(say: () => void): Promise<SessionUpdate> {
      const next = iterator.next();
      let over = false;
      void next.then(() => {
        over = true;
      });
      while (!over) {
        say();
        await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 300))]);
      }
      const { value } = await next;
      if (!value) throw new Error('it ended');
      return value;
    },
    next: () => iterator.next(),
  };
}

describe('watching', () => {
  it('reports new and changed messages of a session', options, async () => {
    const { write, client } = sessionHome();
    const path = write('acme', 'one', [{ user: 'old' }]);
    const { sessions } = client(new StoringAdapter('acme', filesOf('acme')));
    const stop = new AbortController();
    const { firstUpdate, next } = following(sessions.watch('one', { signal: stop.signal }));
    let count = 0;
    const first = await firstUpdate(() => {
      count += 1;
      appendFileSync(path, line({ user: `new ${count}` }));
    });
    expect(first).toMatchObject({ agent: 'acme', sessionId: 'one', isUpdate: false });
    expect(first.message.text).toBe(`new ${first.index}`);
    for (let index = first.index + 1; index <= count; index += 1) {
      expect(await next()).toMatchObject({ value: { index: index, message: { text: `new ${index}` } } });
    }
    const end = next();
    rmSync(path);
    expect(await end).toEqual({ done: true, value: undefined });
  });

  it('reports every session of a filter, including new ones', options, async () => {
    const { write, client } = sessionHome();
    const path = write('acme', 'here', [{ user: 'old' }], { cwd: '/p' });
    write('acme', 'away', [{ user: 'old' }], { cwd: '/q' });
    const { sessions } = client(new StoringAdapter('acme', filesOf('acme')));
    const stop = new AbortController();
    const { firstUpdate, next } = following(sessions.watch({ cwd: '/p' }, { signal: stop.signal }));
    let count = 0;
    const first = await firstUpdate(() => {
      count += 1;
      write('acme', 'away', [{ user: 'old' }, { user: `not asked for ${count}` }], { cwd: '/q' });
      appendFileSync(path, line({ user: `new ${count}` }));
    });
    expect(first).toMatchObject({ sessionId: 'here', message: { text: `new ${first.index}` } });
    for (let index = first.index + 1; index <= count; index += 1) {
      expect(await next()).toMatchObject({ value: { sessionId: 'here', index: index } });
    }
    const started = next();
    write('acme', 'started', [{ user: 'a new one' }], { cwd: '/p/sub' });
    expect(await started).toMatchObject({ value: { sessionId: 'started', index: 0, message: { text: 'a new one' } } });
    const end = next();
    stop.abort();
    expect(await end).toEqual({ done: true, value: undefined });
  });

  it('works for a database', options, async () => {
    const { database, client } = sessionHome();
    using agent = database('base');
    const say = agent.prepare('INSERT INTO messages VALUES (?, ?)');
    say.run('a', 'old');
    const { sessions } = client(new StoringAdapter('base', databaseOf('base')));
    const stop = new AbortController();
    const { firstUpdate, next } = following(sessions.watch('a', { signal: stop.signal }));
    const first = await firstUpdate(() => {
      say.run('b', 'of another session');
      say.run('a', 'new');
    });
    expect(first).toMatchObject({ sessionId: 'a', message: { text: 'new' } });
    expect(first.index).toBeGreaterThan(0);
    stop.abort();
    for (let result = await next(); !result.done; result = await next()) expect(result.value.sessionId).toBe('a');
  });

  it('rejects an unknown session', async () => {
    const { client } = sessionHome();
    const { sessions } = client(new StoringAdapter('acme', filesOf('acme')));
    await expect(following(sessions.watch('nothing')).next()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});
