import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { BACKLOG_WINDOW, Backlog } from './backlog.ts';

describe('backlog', () => {
  it('returns texts complete and in order while more are pushed', () => {
    const backlog = new Backlog();
    const text = (i: number) => `${i} é\u0000\n${'x'.repeat(i % 700)}`;
    const count = Math.ceil((BACKLOG_WINDOW * 4) / 350);
    const got: (string | undefined)[] = [];
    for (let i = 0; i < count; i += 1) {
      backlog.push(text(i));
      if (i % 3 === 0) got.push(backlog.shift());
    }
    while (!backlog.empty) got.push(backlog.shift());
    expect(got).toEqual(Array.from({ length: count }, (_, i) => text(i)));
    expect(backlog.shift()).toBeUndefined();
    backlog.push('again');
    expect(backlog.shift()).toBe('again');
    backlog.close();
  });

  it('leaves no file that others could open', () => {
    const backlog = new Backlog();
    for (let i = 0; i < 8; i += 1) backlog.push('x'.repeat(BACKLOG_WINDOW));
    expect(readdirSync(tmpdir())).toEqual([]);
    expect(backlog.shift()).toHaveLength(BACKLOG_WINDOW);
    backlog.close();
    expect(backlog.empty).toBe(true);
  });
});
