import { Writable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { isRecord } from '@agent-mux/core';
import { expect, test } from 'vitest';
import { createPusher } from './push-events.ts';

/** A session whose journal is a list. */
function hold() {
  const lines: string[] = [];
  const held = {
    launch: { sessionId: 'one', launch: 1 },
    journal: {
      lastSeq: -1,
      read: (after: number) => ({ from: after + 1, lines: lines.slice(after + 1) }),
    },
    hasEnded: false,
  };
  const append = (...more: string[]): number => lines.push(...more) - more.length;
  return { held, append };
}

/** Records what the daemon receives: the lines of each message, or its type. */
function listen() {
  const received: unknown[] = [];
  let isStalled = false;
  let read: (() => void) | undefined;
  const socket = new Writable({
    highWaterMark: 1,
    write(chunk, _, done) {
      const message: unknown = JSON.parse(String(chunk));
      received.push(isRecord(message) ? (message.lines ?? message.type) : message);
      if (isStalled) read = done;
      else done();
    },
  });
  return {
    socket,
    received,
    stall: () => {
      isStalled = true;
    },
    resumeReading: () => {
      isStalled = false;
      read?.();
    },
  };
}

test('sends lines appended in one tick as one message in the next', async () => {
  const { socket, received } = listen();
  const { held, append } = hold();
  const pusher = createPusher(socket);
  pusher.add(held, -1);
  pusher.appended('one', append('a'), ['a']);
  pusher.appended('one', append('b', 'c'), ['b', 'c']);
  expect(received).toEqual([]);
  await expect.poll(() => received).toEqual([['a', 'b', 'c']]);
  await nextTick();
  pusher.appended('one', append('d'), ['d']);
  await expect.poll(() => received).toEqual([['a', 'b', 'c'], ['d']]);
});

test('sends scheduled lines once when the session ends in the same tick', async () => {
  const { socket, received } = listen();
  const { held, append } = hold();
  const pusher = createPusher(socket);
  socket.on('drain', pusher.flush);
  pusher.add(held, -1);
  pusher.appended('one', append('a'), ['a']);
  held.hasEnded = true;
  pusher.flush();
  await expect.poll(() => pusher.isDone).toBe(true);
  await nextTick();
  expect(received).toEqual([['a'], 'ended']);
});

test('continues from the journal, each line once, when a stalled daemon reads again', async () => {
  const { socket, received, stall, resumeReading } = listen();
  const { held, append } = hold();
  const pusher = createPusher(socket);
  socket.on('drain', pusher.flush);
  pusher.add(held, -1);
  stall();
  pusher.appended('one', append('a'), ['a']);
  await expect.poll(() => received).toEqual([['a']]);
  for (const line of ['b', 'c', 'd']) pusher.appended('one', append(line), [line]);
  await nextTick();
  expect(received).toEqual([['a']]);
  resumeReading();
  await expect.poll(() => received).toEqual([['a'], ['b', 'c', 'd']]);
});
