import type { IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newSession } from '../../test/fake-service.ts';
import { openRequest, type ServedApi, serveApi } from '../../test/served-api.ts';
import { createStreams, type StreamPage } from './streams.ts';

let api: ServedApi;
beforeEach(async () => {
  api = await serveApi({ streams: 3, heartbeatMs: 60_000 });
});
afterEach(() => api.stop());

const EVENTS = '/api/v1/sessions/one/events';

interface Reader {
  response: IncomingMessage;
  text: string;
  hasEnded: boolean;
  ids(): number[];
  data(): Record<string, unknown>[];
  leave(): void;
}

/** Reads a stream as it arrives. */
function read(path: string, headers: Record<string, string> = {}): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const sent = openRequest(api.port, path, { headers: { accept: 'text/event-stream', ...headers } });
    sent.on('error', (error) => reject(error));
    sent.on('response', (response) => {
      const reader: Reader = {
        response,
        text: '',
        hasEnded: false,
        ids: () => [...reader.text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)),
        data: () => [...reader.text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!)),
        leave: () => sent.destroy(),
      };
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        reader.text += part;
      });
      response.on('end', () => {
        reader.hasEnded = true;
      });
      response.on('error', () => {});
      resolve(reader);
    });
    sent.end();
  });
}

const texts = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ({ type: 'text', text: `text ${from + at}` }));
const upTo = (count: number, from = 0) => Array.from({ length: count }, (_, at) => from + at);

test('replays stored events and continues live, each once and in order', async () => {
  await api.store.addEvents('one', texts(5000));
  const reader = await read(EVENTS);
  expect(reader.response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  await expect.poll(() => reader.ids().length).toBe(5000);
  await api.store.addEvents('one', texts(3, 5000));
  await expect.poll(() => reader.ids().length).toBe(5003);
  await api.store.addEvents('one', texts(1, 5003));
  await expect.poll(() => reader.ids().length).toBe(5004);
  expect(reader.ids()).toEqual(upTo(5004));
  expect(reader.data().map(({ text }) => text)).toEqual(upTo(5004).map((at) => `text ${at}`));
  expect(reader.text.startsWith('retry: ')).toBe(true);
  reader.leave();
});

test('continues after the last event of a reconnecting reader', async () => {
  await api.store.addEvents('one', texts(10));
  const first = await read(`${EVENTS}?after=3`);
  await expect.poll(() => first.ids()).toEqual(upTo(6, 4));
  first.leave();
  const again = await read(`${EVENTS}?after=3`, { 'last-event-id': '7' });
  await expect.poll(() => again.ids()).toEqual([8, 9]);
  again.leave();
});

test('rejects an invalid Last-Event-ID', async () => {
  for (const id of ['x', '-2', '1e3', '99999999999999999999']) {
    const answer = await api.ask(EVENTS, { headers: { accept: 'text/event-stream', 'last-event-id': id } });
    expect([id, answer.status]).toEqual([id, 422]);
  }
});

test('ends when its session is removed', async () => {
  await api.store.addEvents('one', texts(2));
  const reader = await read(EVENTS);
  await expect.poll(() => reader.ids()).toEqual([0, 1]);
  expect((await api.ask('/api/v1/sessions/one', { method: 'DELETE' })).status).toBe(200);
  await expect.poll(() => reader.hasEnded).toBe(true);
  expect((await api.ask(EVENTS, { headers: { accept: 'text/event-stream' } })).status).toBe(404);
});

test('ends after the result of the launch with until=end', async () => {
  await api.store.updateSession('one', { activity: 'active' });
  await api.store.addEvents('one', [{ type: 'run_result' }, ...texts(2)]);
  const reader = await read(`${EVENTS}?until=end`);
  await expect.poll(() => reader.ids().length).toBe(3);
  expect(reader.hasEnded).toBe(false);
  await api.store.updateSession('one', { activity: 'idle' });
  await api.store.addEvents('one', [{ type: 'run_result' }]);
  await expect.poll(() => reader.hasEnded).toBe(true);
  expect(reader.data().map(({ type }) => type)).toEqual(['run_result', 'text', 'text', 'run_result']);
});

test('stays open for a queued message with until=end', async () => {
  await api.store.addEvents('one', [{ type: 'run_result' }]);
  await api.ask('/api/v1/sessions/one/messages', { method: 'POST', body: { id: 'next', text: 'continue' } });
  const reader = await read(`${EVENTS}?until=end&after=0`);
  await expect.poll(() => api.service.waiting()).toBe(1);
  expect(reader.hasEnded).toBe(false);
  await api.store.updateMessage('one', 'next', { state: 'completed' });
  await api.store.addEvents('one', [...texts(1), { type: 'run_result' }]);
  await expect.poll(() => reader.hasEnded).toBe(true);
  expect(reader.ids()).toEqual([1, 2]);
});

test('reads nothing for a stalled reader, which loses no events and slows no one', async () => {
  const wide = (count: number) => Array.from({ length: count }, () => ({ type: 'text', text: 'x'.repeat(50_000) }));
  await api.store.addEvents('one', wide(400));
  let asked = 0;
  const readEvents = api.store.readEvents;
  api.store.readEvents = (...args) => {
    asked += 1;
    return readEvents(...args);
  };
  const stalled = await read(EVENTS);
  stalled.response.pause();
  // Kernel and socket buffers are full when reading stops.
  let before = -1;
  await expect
    .poll(
      () => {
        const isStill = asked === before;
        before = asked;
        return isStill;
      },
      { interval: 200 },
    )
    .toBe(true);
  const whole = Math.ceil((400 * 50_000) / (256 * 1024));
  expect(asked).toBeLessThan(whole);
  api.store.readEvents = readEvents;
  const other = await read(EVENTS);
  await expect.poll(() => other.ids().length).toBe(400);
  stalled.response.resume();
  await expect.poll(() => stalled.ids().length).toBe(400);
  expect(stalled.ids()).toEqual(upTo(400));
  for (const reader of [stalled, other]) reader.leave();
});

test('skips seqs that were never stored without a busy loop', async () => {
  await api.store.addEvents('one', texts(3));
  const { readEvents } = api.store;
  let asked = 0;
  // As if content were not stored.
  api.store.readEvents = async (id, after, limit, maxBytes) => {
    asked += 1;
    const page = await readEvents(id, after, limit, maxBytes);
    const lines = page.lines.filter((line) => JSON.parse(line).seq % 2 === 0 && JSON.parse(line).seq < 5);
    return { lines, lastSeq: lines.length > 0 ? JSON.parse(lines.at(-1)!).seq : after, hasMore: false };
  };
  const reader = await read(EVENTS);
  await expect.poll(() => reader.ids()).toEqual([0, 2]);
  await api.store.addEvents('one', texts(4));
  await expect.poll(() => reader.ids()).toEqual([0, 2, 4]);
  await expect.poll(() => api.service.waiting()).toBe(1);
  expect(asked).toBeLessThan(10);
  reader.leave();
});

test('reads once per pause on needless wake-ups', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    let reads = 0;
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const source = {
      after: 0,
      read: async (): Promise<StreamPage> => {
        reads += 1;
        await turn();
        return { text: '', last: 0, isEnd: false };
      },
      wait: async () => {},
    };
    const body = createStreams({ streams: 1, heartbeatMs: 60_000 }, () => {})
      .open(source, 'reader')
      .body!.getReader();
    await body.read();
    const next = body.read();
    for (let pauses = 0; pauses < 4; pauses += 1) {
      for (let turns = 0; turns < 20; turns += 1) await turn();
      // The second read follows immediately, since something may have arrived in between.
      expect(reads).toBe(2 + pauses);
      vi.advanceTimersByTime(49);
      for (let turns = 0; turns < 20; turns += 1) await turn();
      expect(reads).toBe(2 + pauses);
      vi.advanceTimersByTime(1);
    }
    await body.cancel();
    await next;
  } finally {
    vi.useRealTimers();
  }
});

/** Text of the first pages of a stream whose timers never fire. */
async function pull(count: number, isNewest: boolean): Promise<{ text: string; reads: number }> {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  try {
    let written = 0;
    let reads = 0;
    const source = {
      after: 0,
      read: async (after: number): Promise<StreamPage> => {
        reads += 1;
        const text = written > after ? `${written} ` : '';
        return { text, last: written, isEnd: false, isNewest: isNewest && text !== '' };
      },
      // It arrives at the moment of waiting.
      wait: async () => {
        written += 1;
      },
    };
    const body = createStreams({ streams: 1, heartbeatMs: 60_000 }, () => {})
      .open(source, 'reader')
      .body!.getReader();
    let text = '';
    while (text.split(' ').length <= count + 1) text += new TextDecoder().decode((await body.read()).value);
    await body.cancel();
    return { text: text.replace(/^retry.*\n\n/, ''), reads };
  } finally {
    vi.useRealTimers();
  }
}

test('does not delay events that follow a page immediately', async () => {
  expect((await pull(4, false)).text).toBe('1 2 3 4 ');
});

test('sends the next event to an up-to-date reader with one read', async () => {
  expect(await pull(4, true)).toEqual({ text: '1 2 3 4 ', reads: 5 });
});

test('frees the stream of a disconnected reader', async () => {
  const readers = [await read(EVENTS), await read(EVENTS), await read('/api/v1/changes')];
  await expect.poll(() => api.service.waiting()).toBe(3);
  const refused = await api.ask(EVENTS, { headers: { accept: 'text/event-stream' } });
  expect([refused.status, refused.json().code]).toEqual([429, 'TOO_MANY_REQUESTS']);
  expect((await api.ask(EVENTS)).status).toBe(200);
  for (const reader of readers) reader.leave();
  await expect.poll(() => api.service.waiting()).toBe(0);
  const next = await read(EVENTS);
  expect(next.response.statusCode).toBe(200);
  next.leave();
});

test('opens no stream for HEAD', async () => {
  for (let at = 0; at < 5; at += 1) {
    const answer = await api.ask(EVENTS, { method: 'HEAD', headers: { accept: 'text/event-stream' } });
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      '',
    ]);
  }
  expect((await api.ask('/metrics')).text).toContain('agent_mux_http_streams 0\n');
});

test('sends heartbeats on a quiet stream', async () => {
  const quick = await serveApi({ heartbeatMs: 20 });
  const sent = openRequest(quick.port, EVENTS, { headers: { accept: 'text/event-stream' } });
  let text = '';
  sent.on('response', (response) =>
    response
      .setEncoding('utf8')
      .on('data', (part) => (text += part))
      .on('error', () => {}),
  );
  sent.end();
  await expect.poll(() => text.match(/^: .+\n\n/gm)?.length ?? 0).toBeGreaterThan(2);
  await quick.store.addEvents('one', texts(1));
  await expect.poll(() => text).toContain('id: 0\n');
  sent.destroy();
  await quick.stop();
});

test('streams changes, including removals', async () => {
  const reader = await read('/api/v1/changes?after=0');
  await expect.poll(() => reader.data().length).toBe(1);
  await api.store.insertSession(newSession('two'));
  await expect.poll(() => reader.data().length).toBe(2);
  await api.ask('/api/v1/sessions/two', { method: 'DELETE' });
  await expect.poll(() => reader.data().length).toBe(3);
  expect(reader.data().map(({ kind, id, value }) => [kind, id, value === null])).toEqual([
    ['session', 'one', false],
    ['session', 'two', false],
    ['session', 'two', true],
  ]);
  const page = (await api.ask('/api/v1/changes?after=1')).json();
  expect(page).toMatchObject({ lastRev: 3, hasMore: false });
  reader.leave();
});

/** Events as dispatched by an EventSource, with `message` as the default name. */
function dispatched(text: string): [string, unknown][] {
  return text.split('\n\n').flatMap((block): [string, unknown][] => {
    const valuesOf = (field: string) =>
      block
        .split('\n')
        .filter((line) => line.startsWith(`${field}:`))
        .map((line) => line.slice(field.length + 1).replace(/^ /, ''));
    const data = valuesOf('data');
    return data.length === 0 ? [] : [[valuesOf('event').at(-1) ?? 'message', JSON.parse(data.join('\n'))]];
  });
}

test('names changes for EventSource listeners', async () => {
  const reader = await read('/api/v1/changes?after=0');
  await api.store.insertSession(newSession('named'));
  await api.store.updateSession('named', { title: 'another' });
  await expect.poll(() => reader.text).toContain('another');
  await api.ask('/api/v1/sessions/named', { method: 'DELETE' });
  await expect.poll(() => reader.text).toContain('session.removed');
  const heard = dispatched(reader.text).filter(([, change]) => (change as { id: string }).id === 'named');
  expect(new Set(heard.map(([name]) => name))).toEqual(new Set(['session.updated', 'session.removed']));
  expect(heard.at(-1)).toMatchObject(['session.removed', { kind: 'session', value: null }]);
  expect(heard.at(-2)).toMatchObject(['session.updated', { kind: 'session', value: { title: 'another' } }]);
  reader.leave();
});

test('ends streams when the daemon stops', async () => {
  const closing = await serveApi();
  const sent = openRequest(closing.port, EVENTS, { headers: { accept: 'text/event-stream' } });
  const ended = new Promise<void>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response) => response.on('end', resolve).on('error', reject).resume());
  });
  sent.end();
  await expect.poll(() => closing.service.waiting()).toBe(1);
  await closing.stop();
  await ended;
});

test('returns a JSON page of events with its last seq', async () => {
  await api.store.addEvents('one', texts(5));
  const page = (await api.ask(`${EVENTS}?after=1&limit=2`)).json();
  expect(page).toEqual({
    events: [
      { type: 'text', text: 'text 2', seq: 2, timestamp: 1 },
      { type: 'text', text: 'text 3', seq: 3, timestamp: 1 },
    ],
    lastSeq: 3,
    hasMore: true,
  });
  expect((await api.ask(`${EVENTS}?after=4`)).json()).toEqual({ events: [], lastSeq: 4, hasMore: false });
});
