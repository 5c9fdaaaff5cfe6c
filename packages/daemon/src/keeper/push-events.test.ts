import { Writable } from 'node:stream';
import { setImmediate as aMoment } from 'node:timers/promises';
import { isRecord } from '@agent-mux/core';
import { expect, test } from 'vitest';
import { makePusher } from './push-events.ts';

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

/** What the daemon is told, each as its lines or its type. */
function listen() {
  const told: unknown[] = [];
  let isStalled = false;
  let read: (() => void) | undefined;
  const socket = new Writable({
    highWaterMark: 1,
    write(chunk, _, done) {
      const message: unknown = JSON.parse(String(chunk));
      told.push(isRecord(message) ? (message.lines ?? message.type) : message);
      if (isStalled) read = done;
      else done();
    },
  });
  return {
    socket,
    told,
    stall: () => {
      isStalled = true;
    },
    readOn: () => {
      isStalled = false;
      read?.();
    },
  };
}

test('what is appended in one moment is told in one message, after whoever appended it is done', async () => {
  const { socket, told } = listen();
  const { held, append } = hold();
  const pusher = makePusher(socket);
  pusher.add(held, -1);
  pusher.appended('one', append('a'), ['a']);
  pusher.appended('one', append('b', 'c'), ['b', 'c']);
  expect(told).toEqual([]);
  await expect.poll(() => told).toEqual([['a', 'b', 'c']]);
  await aMoment();
  pusher.appended('one', append('d'), ['d']);
  await expect.poll(() => told).toEqual([['a', 'b', 'c'], ['d']]);
});

test('what was about to be told is told once, also where the session ends in that moment', async () => {
  const { socket, told } = listen();
  const { held, append } = hold();
  const pusher = makePusher(socket);
  socket.on('drain', pusher.goOn);
  pusher.add(held, -1);
  pusher.appended('one', append('a'), ['a']);
  held.hasEnded = true;
  pusher.goOn();
  await expect.poll(() => pusher.isDone).toBe(true);
  await aMoment();
  expect(told).toEqual([['a'], 'ended']);
});

test('a daemon that does not read is told the rest from the journal when it does, each line once', async () => {
  const { socket, told, stall, readOn } = listen();
  const { held, append } = hold();
  const pusher = makePusher(socket);
  socket.on('drain', pusher.goOn);
  pusher.add(held, -1);
  stall();
  pusher.appended('one', append('a'), ['a']);
  await expect.poll(() => told).toEqual([['a']]);
  for (const line of ['b', 'c', 'd']) pusher.appended('one', append(line), [line]);
  await aMoment();
  expect(told).toEqual([['a']]);
  readOn();
  await expect.poll(() => told).toEqual([['a'], ['b', 'c', 'd']]);
});
