import { expect, it } from 'vitest';
import type { OpenForTest } from '../store-suite.ts';
import { lineOf, linesOf, makeCommit, makeSession } from './made-up.ts';
import { useStore } from './use-store.ts';

export function describeEvents(open: OpenForTest): void {
  const store = useStore(open);

  it('of a session that is not there are none', async () => {
    expect(await store().readEvents('nobody', 3, 10)).toEqual({ lines: [], last: 3, more: false });
  });

  it('come in pages of at most so many, and say whether there are more', async () => {
    await store().insertSession(makeSession('a'));
    await store().commit([makeCommit('a', 0, 3), makeCommit('a', 4, 9)]);
    const page = async (after: number, limit: number) => {
      const { lines, last, more } = await store().readEvents('a', after, limit);
      return { count: lines.length, first: lines[0], last, more };
    };
    expect(await page(-1, 3)).toEqual({ count: 3, first: lineOf(0), last: 2, more: true });
    expect(await page(2, 1)).toEqual({ count: 1, first: lineOf(3), last: 3, more: true });
    expect(await page(3, 6)).toEqual({ count: 6, first: lineOf(4), last: 9, more: false });
    expect(await page(5, 3)).toEqual({ count: 3, first: lineOf(6), last: 8, more: true });
    expect(await page(9, 3)).toEqual({ count: 0, first: undefined, last: 9, more: false });
    expect(await page(99, 3)).toEqual({ count: 0, first: undefined, last: 99, more: false });
  });

  it('come in pages of about so much text, and at least one', async () => {
    await store().insertSession(makeSession('a'));
    const lines = linesOf(0, 9).map(({ seq }) => ({ seq, line: `{"seq":${seq},"x":"${'y'.repeat(1_000)}"}` }));
    await store().commit([makeCommit('a', 0, 9, { lines })]);
    expect(await store().readEvents('a', -1, 100, 10)).toMatchObject({ last: 0, more: true });
    expect((await store().readEvents('a', -1, 100, 3_500)).lines).toHaveLength(3);
    expect((await store().readEvents('a', -1, 100, 100_000)).lines).toHaveLength(10);
  });

  it('are the same text that was committed, however large and whatever is in it', async () => {
    await store().insertSession(makeSession('a'));
    const texts = ['', '\u2028 \u0000 \ud800', '🎈'.repeat(50_000), 'x'.repeat(300_000), '\\n'];
    const lines = texts.map((text, seq) => ({ seq, line: JSON.stringify({ seq, text }) }));
    await store().commit([makeCommit('a', 0, lines.length - 1, { lines })]);
    const page = await store().readEvents('a', -1, 100);
    expect(page.lines).toEqual(lines.map(({ line }) => line));
    expect(page.lines.map((line) => JSON.parse(line).text)).toEqual(texts);
  });

  it('are durable when the store says so', async () => {
    await store().insertSession(makeSession('a'));
    await store().sync();
    const synced = [store().commit([makeCommit('a', 0, 3)]), store().sync(), store().sync(), store().sync()];
    await expect(Promise.all(synced)).resolves.toBeDefined();
  });

  it('that came one by one are there, in order', async () => {
    await store().insertSession(makeSession('a'));
    for (let seq = 0; seq < 700; seq += 1) await store().commit([makeCommit('a', seq, seq)]);
    expect((await store().readEvents('a', -1, 1_000)).lines).toEqual(linesOf(0, 699).map(({ line }) => line));
    expect(await store().readEvents('a', 655, 5)).toMatchObject({ last: 660, more: true });
    expect(await store().stats()).toMatchObject({ events: 700 });
  });
}
