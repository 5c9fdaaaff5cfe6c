import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createViewers } from './viewers.ts';

it('sends output that arrives during a screen request after the screen', () => {
  const size = { cols: 80, rows: 24 };
  const pending: ((data: string) => void)[] = [];
  const viewers = createViewers({ size: () => size, resize: () => {}, read: (done) => void pending.push(done) });
  const socket = new PassThrough();
  viewers.add(socket as unknown as Socket, 'one');
  viewers.broadcast({ type: 'data', data: 'in between' });
  pending[0]?.('the screen');
  viewers.broadcast({ type: 'data', data: 'after' });
  const lines = String(socket.read()).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).data)).toEqual(['the screen', 'in between', 'after']);
});
