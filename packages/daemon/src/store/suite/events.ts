import { expect, it } from 'vitest';
import type { OpenForTest } from '../store-suite.ts';
import { createCommit, createSession, lineOf, linesOf } from './fixtures.ts';
import { useStore } from './use-store.ts';

export function describeEvents(open: OpenForTest): void {
  const store = useStore(open);

  it('are empty for an unknown session', async () => {
    expect(await store().readEvents('missing', 3, 10)).toEqual({ lines: [], lastSeq: 3, hasMore: false });
  });

  it('come in pages of limited length that say whether there are more', async () => {
    await store().insertSession(createSession('a'));
    await store().commit([createCommit('a', 0, 3), createCommit('a', 4, 9)]);
    const page = async (after: number, limit: number) => {
      const { lines, lastSeq, hasMore } = await store().readEvents('a', after, limit);
      return { count: lines.length, first: lines[0], lastSeq, hasMore };
    };
    expect(await page(-1, 3)).toEqual({ count: 3, first: lineOf(0), lastSeq: 2, hasMore: true });
    expect(await page(2, 1)).toEqual({ count: 1, first: lineOf(3), lastSeq: 3, hasMore: true });
    expect(await page(3, 6)).toEqual({ count: 6, first: lineOf(4), lastSeq: 9, hasMore: false });
    expect(await page(5, 3)).toEqual({ count: 3, first: lineOf(6), lastSeq: 8, hasMore: true });
    expect(await page(9, 3)).toEqual({ count: 0, first: undefined, lastSeq: 9, hasMore: false });
    expect(await page(99, 3)).toEqual({ count: 0, first: undefined, lastSeq: 99, hasMore: false });
  });

  it('come in pages of limited size with at least one event', async () => {
    await store().insertSession(createSession('a'));
    const lines = linesOf(0, 9).map(({ seq }) => ({ seq, line: `{"seq":${seq},"x":"${'y'.repeat(1_000)}"}` }));
    await store().commit([createCommit('a', 0, 9, { lines })]);
    expect(await store().readEvents('a', -1, 100, 10)).toMatchObject({ lastSeq: 0, hasMore: true });
    expect((await store().readEvents('a', -1, 100, 3_500)).lines).toHaveLength(3);
    expect((await store().readEvents('a', -1, 100, 100_000)).lines).toHaveLength(10);
  });

  it('are returned verbatim, for any size and content', async () => {
    await store().insertSession(createSession('a'));
    const texts = ['', '\u2028 \u0000 \ud800', '🎈'.repeat(50_000), 'x'.repeat(300_000), '\\n'];
    const lines = texts.map((text, seq) => ({ seq, line: JSON.stringify({ seq, text }) }));
    await store().commit([createCommit('a', 0, lines.length - 1, { lines })]);
    const page = await store().readEvents('a', -1, 100);
    expect(page.lines).toEqual(lines.map(({ line }) => line));
    expect(page.lines.map((line) => JSON.parse(line).text)).toEqual(texts);
  });

  it('are durable after sync', async () => {
    await store().insertSession(createSession('a'));
    await store().sync();
    const synced = [store().commit([createCommit('a', 0, 3)]), store().sync(), store().sync(), store().sync()];
    await expect(Promise.all(synced)).resolves.toBeDefined();
  });

  it('are in order when committed one by one', async () => {
    await store().insertSession(createSession('a'));
    for (let seq = 0; seq < 700; seq += 1) await store().commit([createCommit('a', seq, seq)]);
    expect((await store().readEvents('a', -1, 1_000)).lines).toEqual(linesOf(0, 699).map(({ line }) => line));
    expect(await store().readEvents('a', 655, 5)).toMatchObject({ lastSeq: 660, hasMore: true });
    expect(await store().stats()).toMatchObject({ events: 700 });
  });
}
