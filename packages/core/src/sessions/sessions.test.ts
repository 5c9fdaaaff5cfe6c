import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf, StoringAdapter } from '../../test/session-agents.ts';
import { sessionHome } from '../../test/session-home.ts';
import type { SessionList } from '../contract/session-queries.ts';
import type { Session } from '../contract/sessions.ts';
import { sessionFiles } from '../session-stores/store.ts';
import { Transcript } from '../session-stores/transcript.ts';

const HOUR = 3_600_000;
const noon = new Date(2026, 0, 31, 12).getTime();

function two() {
  const home = sessionHome();
  const client = () =>
    home.client(new StoringAdapter('acme', filesOf('acme')), new StoringAdapter('beta', filesOf('beta')));
  return { ...home, client, sessions: () => client().sessions };
}

describe('session list', () => {
  it('has the newest first, of all or some agents', async () => {
    const { write, sessions } = two();
    write('acme', 'old', [{ user: 'first' }], { updated: noon - 2 * HOUR });
    write('beta', 'new', [{ user: 'second' }], { updated: noon });
    write('acme', 'mid', [{ user: 'third' }], { updated: noon - HOUR });
    const ids = async (...args: Parameters<ReturnType<typeof sessions>['list']>) =>
      (await sessions().list(...args)).sessions.map(({ sessionId }) => sessionId);
    expect(await ids()).toEqual(['new', 'mid', 'old']);
    expect(await ids({ agents: ['acme'] })).toEqual(['mid', 'old']);
    expect(await ids({ limit: 1 })).toEqual(['new']);
    expect((await sessions().list({ limit: 1 })).total).toBe(3);
    expect(await ids({ since: noon - HOUR, until: noon })).toEqual(['mid']);
    await expect(sessions().list({ agents: ['missing'] })).rejects.toMatchObject({ code: 'UNKNOWN_AGENT' });
  });

  it('covers a folder and its subfolders, not its siblings', async () => {
    const { write, sessions } = two();
    write('acme', 'at', [{ user: 'x' }], { cwd: '/srv/app' });
    write('acme', 'below', [{ user: 'x' }], { cwd: '/srv/app/sub' });
    write('acme', 'sibling', [{ user: 'x' }], { cwd: '/srv/app-2' });
    write('acme', 'nowhere', [{ user: 'x' }]);
    const { sessions: found } = await sessions().list({ cwd: '/srv/app' });
    expect(found.map(({ sessionId }) => sessionId).sort()).toEqual(['at', 'below']);
  });

  it('filters by the models that were used, by a part of their name', async () => {
    const { write, sessions } = two();
    write('acme', 'one', [{ assistant: 'x', model: 'Big-Model-2', input: 1, output: 1 }]);
    write('acme', 'two', [{ assistant: 'x', model: 'small', input: 1, output: 1 }]);
    expect((await sessions().list({ model: 'big' })).sessions).toMatchObject([{ sessionId: 'one' }]);
  });

  it('omits sessions without messages', async () => {
    const { write, sessions } = two();
    write('acme', 'empty', []);
    expect(await sessions().list()).toMatchObject({ sessions: [], total: 0, problems: [] });
    expect(await sessions().get('empty')).toMatchObject({ messages: [] });
  });

  it('prefers a session with messages over an empty file with the same id', async () => {
    const { write, sessions } = two();
    write('acme', 'twice', [{ user: 'here I am' }], { updated: noon - HOUR });
    write('beta', 'twice', [], { updated: noon });
    expect(await sessions().get('twice')).toMatchObject({ agent: 'acme', messages: [{ text: 'here I am' }] });
  });

  it('reads a shared folder in the formats of all agents, each session once', async () => {
    const home = sessionHome();
    const acme = filesOf('acme');
    const fork = sessionFiles({
      agent: 'fork',
      root: '~/.acme',
      accepts: (path) => /\.(?:fork|jsonl)$/.test(path),
      parse: (text, path) => {
        const transcript = new Transcript();
        transcript.user(text);
        return { sessionId: basename(path), messages: transcript.messages };
      },
    });
    const sessions = () => home.client(new StoringAdapter('acme', acme), new StoringAdapter('fork', fork)).sessions;
    home.write('acme', 'both', [{ user: 'known to both' }]);
    const broken = join(home.home, '.acme', 'broken.jsonl');
    writeFileSync(broken, 'no json');
    writeFileSync(join(home.home, '.acme', 'own.fork'), 'only the fork knows this');
    const found = ({ sessions: all }: SessionList) => all.map(({ agent, path }) => `${agent} ${basename(path)}`).sort();
    const list = await sessions().list();
    expect(found(list)).toEqual(['acme both.jsonl', 'fork broken.jsonl', 'fork own.fork']);
    expect(list.total).toBe(3);
    expect(list.problems).toEqual([]);
    expect(found(await sessions().list({ agents: ['fork'] }))).toEqual(found(list));
    expect(found(await sessions().list({ agents: ['acme'] }))).toEqual(['acme both.jsonl']);
    expect((await sessions().search('known')).hits.map(({ session }) => session.agent)).toEqual(['acme']);
    expect((await sessions().get('own.fork')).messages).toHaveLength(1);
  });

  it('includes sessions of an adapter that lists them itself, and reports one that cannot', async () => {
    const home = sessionHome();
    const path = join(home.home, 'one.txt');
    writeFileSync(path, 'x');
    class Listing extends StoringAdapter {
      override async listSessionFiles() {
        return [path];
      }
      override async parseSessionFile(): Promise<Session> {
        const transcript = new Transcript();
        transcript.user('hello');
        return { agent: this.agent, sessionId: 'one', messages: transcript.messages };
      }
    }
    class Lost extends StoringAdapter {
      override parseSessionFile(): Promise<Session> {
        return Promise.reject(new Error('never asked'));
      }
    }
    const { sessions, problems } = await home.client(new Listing('listing'), new Lost('lost')).sessions.list();
    expect(sessions).toMatchObject([{ agent: 'listing', sessionId: 'one', path }]);
    expect(problems).toMatchObject([{ agent: 'lost', problem: expect.stringContaining('session folder of') }]);
  });

  it('lists a store once, however many agents share it', async () => {
    const home = sessionHome();
    home.write('acme', 'one', [{ user: 'hello' }]);
    const client = home.client(new StoringAdapter('acme', filesOf('acme')));
    client.adapters.register(new StoringAdapter('a-definition', filesOf('acme')));
    const { sessions } = client;
    expect((await sessions.list()).sessions).toMatchObject([{ agent: 'acme', sessionId: 'one' }]);
    expect((await sessions.list({ agents: ['a-definition'] })).sessions).toMatchObject([{ agent: 'acme' }]);
    expect(await sessions.get('a-definition:one')).toMatchObject({ agent: 'acme' });
  });

  it('includes sessions of an adapter that reads its files itself', async () => {
    const { home, client } = sessionHome();
    const folder = join(home, 'own');
    mkdirSync(folder);
    writeFileSync(join(folder, 'x.txt'), 'what was said');
    class Own extends StoringAdapter {
      override sessionDir() {
        return folder;
      }
      override async parseSessionFile(path: string): Promise<Session> {
        return { agent: 'own', sessionId: 'x', messages: [{ role: 'user', text: await readFile(path, 'utf8') }] };
      }
    }
    const { sessions } = client(new Own('own'), new StoringAdapter('mute'));
    expect(await sessions.list()).toMatchObject({
      sessions: [{ agent: 'own', firstPrompt: 'what was said' }],
      problems: [],
    });
    expect((await sessions.list({ agents: ['mute'] })).problems).toMatchObject([{ agent: 'mute' }]);
    await expect(sessions.delete('x')).rejects.toMatchObject({ code: 'CAPABILITY_ERROR' });
  });
});

describe('session id', () => {
  it('is the agent session id, agent:id, or a unique prefix', async () => {
    const { write, sessions } = two();
    for (const id of ['abc-1', 'abc-2', 'abd-3', 'abc']) write('acme', id, [{ user: id }]);
    write('beta', 'abc-1', [{ user: 'of beta' }]);
    const textOf = async (id: string) => (await sessions().get(id)).messages[0]?.text;
    expect(await textOf('abd')).toBe('abd-3');
    expect(await textOf('abc')).toBe('abc');
    expect(await textOf('beta:abc-1')).toBe('of beta');
    expect(await textOf('beta:a')).toBe('of beta');
    await expect(textOf('abc-1')).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      hint: expect.stringMatching(/acme:abc-1.*beta:abc-1|beta:abc-1.*acme:abc-1/),
    });
    await expect(textOf('ab')).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      data: { candidates: expect.arrayContaining(['acme:abd-3']) },
    });
    for (const id of ['nothing', '', '%', 'gamma:abc']) {
      await expect(textOf(id)).rejects.toMatchObject({
        code: 'SESSION_NOT_FOUND',
        message: expect.stringContaining('not found'),
      });
    }
  });
});

describe('search', () => {
  const found = (hits: readonly { session: { sessionId: string } }[]) => hits.map(({ session }) => session.sessionId);

  it('finds titles, prompts and answers with context', async () => {
    const { write, sessions } = two();
    write('acme', 'title', [{ user: 'x' }], { title: 'The zebra question' });
    write('acme', 'prompt', [{ user: 'Where does the zebra sleep? In the long grass.' }]);
    write('beta', 'answer', [{ user: 'x' }, { assistant: 'Zebras are striped; a zebra, too.' }]);
    const { hits } = await sessions().search('zebra');
    expect(found(hits).sort()).toEqual(['answer', 'prompt', 'title']);
    expect(found(hits)[0]).toBe('title');
    const prompt = hits.find(({ session }) => session.sessionId === 'prompt');
    expect(prompt?.snippet).toContainEqual({ text: 'zebra', match: true });
    expect(prompt?.snippet.map(({ text }) => text).join('')).toContain('Where does the zebra sleep?');
    expect(found((await sessions().search('zebra', { agents: ['beta'] })).hits)).toEqual(['answer']);
  });

  it('requires all text, supports quotes, and treats the last word as a prefix', async () => {
    const { write, sessions } = two();
    write('acme', 'one', [{ user: 'red green blue' }]);
    write('acme', 'two', [{ user: 'green red yellow' }]);
    const ids = async (text: string) => found((await sessions().search(text)).hits).sort();
    expect(await ids('red green')).toEqual(['one', 'two']);
    expect(await ids('red blu')).toEqual(['one']);
    expect(await ids('"red green"')).toEqual(['one']);
    expect(await ids('re green')).toEqual([]);
  });

  it.each(['"', '* OR *', 'NEAR(a b)', 'title:', "'; DROP TABLE sessions; --", '(', '-', '', '^red', 'a"b'])(
    'treats %s as text',
    async (text) => {
      const { write, sessions } = two();
      write('acme', 'one', [{ user: 'red' }]);
      expect((await sessions().search(text)).problems).toEqual([]);
      expect((await sessions().list()).total).toBe(1);
    },
  );

  it('finds text of scripts without spaces, and text without accents', async () => {
    const { write, sessions } = two();
    write('acme', 'han', [{ user: '请解释这个函数的作用' }]);
    write('acme', 'accent', [{ user: 'le café du coin' }]);
    expect(found((await sessions().search('函数')).hits)).toEqual(['han']);
    expect(found((await sessions().search('cafe')).hits)).toEqual(['accent']);
  });
});

describe('costs', () => {
  const day = (date: number) => new Date(2026, 0, date, 12).getTime();

  it('are summed by agent, model, day and project: reported, estimated or unknown', async () => {
    const { write, sessions } = two();
    write(
      'acme',
      'one',
      [
        { assistant: 'a', model: 'priced-1', time: day(1), input: 1_000_000, output: 100_000 },
        { user: 'more' },
        { assistant: 'b', model: 'reported', time: day(2), input: 10, output: 10, cost: 0.5 },
      ],
      { cwd: '/p' },
    );
    write('beta', 'two', [{ assistant: 'c', model: 'dark', time: day(2), input: 30, output: 3 }], { cwd: '/q' });
    const rows = async (by: 'agent' | 'model' | 'day' | 'project') => (await sessions().costs({ by })).rows;
    expect(await rows('agent')).toMatchObject([
      {
        group: 'acme',
        sessions: 1,
        costUsd: 2.5,
        estimatedUsd: 2,
        unpricedTokens: 0,
        usage: { inputTokens: 1_000_010 },
      },
      { group: 'beta', sessions: 1, costUsd: null, estimatedUsd: 0, unpricedTokens: 33 },
    ]);
    expect((await rows('model')).map(({ group, costUsd }) => [group, costUsd])).toEqual([
      ['priced-1', 2],
      ['reported', 0.5],
      ['dark', null],
    ]);
    expect((await rows('day')).map(({ group, costUsd }) => [group, costUsd])).toEqual([
      ['2026-01-01', 2],
      ['2026-01-02', 0.5],
    ]);
    expect((await rows('project')).map(({ group }) => group)).toEqual(['/p', '/q']);
    const { total, rows: some } = await sessions().costs({ by: 'day', since: day(2) });
    expect(some.map(({ group }) => group)).toEqual(['2026-01-02']);
    expect(total).toMatchObject({ costUsd: 0.5, sessions: 2, unpricedTokens: 33 });
    const { sessions: listed } = await sessions().list({ agents: ['acme'] });
    expect(listed).toMatchObject([{ costUsd: 2.5, costSource: 'estimated' }]);
  });
});

describe('comparison', () => {
  it('shows common messages and where they differ', async () => {
    const { write, sessions } = two();
    const begin = [{ user: 'make it fast' }, { assistant: 'How fast?' }];
    write('acme', 'one', [...begin, { user: 'very\nplease' }, { assistant: 'done' }]);
    write('beta', 'two', [...begin, { user: 'a bit\nplease' }, { assistant: 'done' }, { user: 'thanks' }]);
    const diff = await sessions().diff('one', 'two');
    expect(diff).toMatchObject({ a: { sessionId: 'one' }, b: { sessionId: 'two' }, sharedCount: 2 });
    expect(diff.messages.map(({ kind }) => kind)).toEqual(['same', 'same', 'changed', 'same', 'added']);
    expect(diff.messages[2]).toMatchObject({
      lines: [
        { sign: '-', text: 'very' },
        { sign: '+', text: 'a bit' },
        { sign: ' ', text: 'please' },
      ],
    });
    expect((await sessions().diff('one', 'acme:one')).sharedCount).toBe(4);
  });
});

describe('deleting a session', () => {
  it('removes only its file and what belongs to it', async () => {
    const { write, sessions, home } = two();
    const path = write('acme', 'one', [{ user: 'x' }]);
    write('acme', 'other', [{ user: 'x' }]);
    mkdirSync(join(home, '.acme', 'one.extra'));
    mkdirSync(join(home, '.acme', 'other.extra'));
    expect(await sessions().delete('one')).toMatchObject({ agent: 'acme', sessionId: 'one', path });
    expect(existsSync(path)).toBe(false);
    expect(existsSync(join(home, '.acme', 'one.extra'))).toBe(false);
    expect(existsSync(join(home, '.acme', 'other.extra'))).toBe(true);
    expect((await sessions().list()).sessions).toMatchObject([{ sessionId: 'other' }]);
    await expect(sessions().delete('one')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

describe('session next to others', () => {
  it('deletes no folder that is not its own', async () => {
    const home = sessionHome();
    const store = sessionFiles({
      agent: 'acme',
      root: '~/.acme',
      accepts: (path) => path.endsWith('.jsonl'),
      belongings: (path) => [dirname(path)],
      parse: () => null,
    });
    const path = home.write('acme', 'one', [{ user: 'x' }]);
    const other = home.write('acme', 'other', [{ user: 'x' }]);
    store.root({ HOME: home.home });
    await store.remove?.({ path, stamp: '' });
    expect([existsSync(path), existsSync(other)]).toEqual([false, true]);
  });
});

describe('search for a frequent word', () => {
  it('does not slow down with every occurrence', async () => {
    const { write, sessions } = two();
    for (const id of ['a', 'b', 'c']) {
      write('acme', id, [{ user: 'go' }, { assistant: 'cache '.repeat(150_000) }], { updated: noon });
    }
    await sessions().list();
    const started = performance.now();
    const { hits } = await sessions().search('cache');
    // A third of a second; comparing all positions with each other would take minutes.
    expect(performance.now() - started).toBeLessThan(15_000);
    expect(hits).toHaveLength(3);
    expect(hits[0]?.snippet[0]).toEqual({ text: 'cache', match: true });
  });

  it('marks all matches around the first one, ignoring case and accents', async () => {
    const { write, sessions } = two();
    const filler = 'other text '.repeat(20_000);
    write('acme', 'one', [{ user: `${filler} der große Händler liest, und HÄNDLERIN auch ${filler}` }]);
    const { hits } = await sessions().search('liest handler');
    const marked = hits[0]?.snippet.filter(({ match }) => match).map(({ text }) => text.normalize('NFC'));
    expect(marked).toEqual(['Handler', 'liest', 'HANDLERIN']);
    expect(hits[0]?.snippet.map(({ text }) => text).join('').length).toBeLessThan(200);
  });
});
