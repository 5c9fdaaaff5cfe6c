import { appendFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { databaseOf, filesOf, StoringAdapter } from '../../test/session-agents.ts';
import { sessionHome } from '../../test/session-home.ts';
import type { SessionUpdate } from '../contract/session-queries.ts';

const options = { timeout: 60_000 };
const line = (value: unknown) => `${JSON.stringify(value)}\n`;

/** Nobody knows when it begins to listen: something is said again and again until the first of it is heard. */
function following(updates: AsyncIterable<SessionUpdate>) {
  const iterator = updates[Symbol.asyncIterator]();
  return {
    async heard(say: () => void): Promise<SessionUpdate> {
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
  it('tells what is new in a session, and what has more to say', options, async () => {
    const { write, client } = sessionHome();
    const path = write('acme', 'one', [{ user: 'old' }]);
    const { sessions } = client(new StoringAdapter('acme', filesOf('acme')));
    const stop = new AbortController();
    const { heard, next } = following(sessions.watch('one', { signal: stop.signal }));
    let said = 0;
    const first = await heard(() => {
      said += 1;
      appendFileSync(path, line({ user: `new ${said}` }));
    });
    expect(first).toMatchObject({ agent: 'acme', sessionId: 'one', isUpdate: false });
    expect(first.message.text).toBe(`new ${first.index}`);
    for (let told = first.index + 1; told <= said; told += 1) {
      expect(await next()).toMatchObject({ value: { index: told, message: { text: `new ${told}` } } });
    }
    const end = next();
    rmSync(path);
    expect(await end).toEqual({ done: true, value: undefined });
  });

  it('hears of every session of a filter, also of new ones', options, async () => {
    const { write, client } = sessionHome();
    const path = write('acme', 'here', [{ user: 'old' }], { cwd: '/p' });
    write('acme', 'away', [{ user: 'old' }], { cwd: '/q' });
    const { sessions } = client(new StoringAdapter('acme', filesOf('acme')));
    const stop = new AbortController();
    const { heard, next } = following(sessions.watch({ cwd: '/p' }, { signal: stop.signal }));
    let said = 0;
    const first = await heard(() => {
      said += 1;
      write('acme', 'away', [{ user: 'old' }, { user: `not asked for ${said}` }], { cwd: '/q' });
      appendFileSync(path, line({ user: `new ${said}` }));
    });
    expect(first).toMatchObject({ sessionId: 'here', message: { text: `new ${first.index}` } });
    for (let told = first.index + 1; told <= said; told += 1) {
      expect(await next()).toMatchObject({ value: { sessionId: 'here', index: told } });
    }
    const begun = next();
    write('acme', 'begun', [{ user: 'a new one' }], { cwd: '/p/sub' });
    expect(await begun).toMatchObject({ value: { sessionId: 'begun', index: 0, message: { text: 'a new one' } } });
    const end = next();
    stop.abort();
    expect(await end).toEqual({ done: true, value: undefined });
  });

  it('works for a database', options, async () => {
    const { database, client } = sessionHome();
    using agent = database('base');
    const say = agent.prepare('INSERT INTO said VALUES (?, ?)');
    say.run('a', 'old');
    const { sessions } = client(new StoringAdapter('base', databaseOf('base')));
    const stop = new AbortController();
    const { heard, next } = following(sessions.watch('a', { signal: stop.signal }));
    const first = await heard(() => {
      say.run('b', 'of another session');
      say.run('a', 'new');
    });
    expect(first).toMatchObject({ sessionId: 'a', message: { text: 'new' } });
    expect(first.index).toBeGreaterThan(0);
    stop.abort();
    for (let result = await next(); !result.done; result = await next()) expect(result.value.sessionId).toBe('a');
  });

  it('refuses what is not there', async () => {
    const { client } = sessionHome();
    const { sessions } = client(new StoringAdapter('acme', filesOf('acme')));
    await expect(following(sessions.watch('nothing')).next()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});
