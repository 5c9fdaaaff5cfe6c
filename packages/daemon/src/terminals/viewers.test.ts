import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { keepViewers } from './viewers.ts';

it('tells a viewer what has come between the question for the screen and its answer, behind the screen', () => {
  const size = { cols: 80, rows: 24 };
  const asked: ((data: string) => void)[] = [];
  const viewers = keepViewers({ size: () => size, resize: () => {}, read: (done) => void asked.push(done) });
  const socket = new PassThrough();
  viewers.add(socket as unknown as Socket, 'one');
  viewers.tell({ type: 'data', data: 'in between' });
  asked[0]?.('the screen');
  viewers.tell({ type: 'data', data: 'after' });
  const lines = String(socket.read()).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).data)).toEqual(['the screen', 'in between', 'after']);
});
