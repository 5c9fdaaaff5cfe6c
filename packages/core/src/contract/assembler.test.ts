import { describe, expect, it } from 'vitest';
import { MAX_BLOCK_CHARS, StreamAssembler } from './assembler.ts';

describe('a stream assembler', () => {
  it('passes lines on, and gathers them while a block is open', () => {
    const assembler = new StreamAssembler();
    expect(assembler.feed('one')).toBe('one');
    assembler.startBlock((line) => line === '}');
    expect([assembler.feed('{'), assembler.feed(''), assembler.inBlock]).toEqual([null, null, true]);
    expect([assembler.bufferedLineCount, assembler.peek()]).toEqual([2, '{\n']);
    expect(assembler.feed('}')).toBe('{\n\n}');
    expect([assembler.inBlock, assembler.endBlock(), assembler.feed('next')]).toEqual([false, null, 'next']);
  });

  it('keeps an empty first line, and gives what there is when the end does not come', () => {
    const assembler = new StreamAssembler();
    assembler.startBlock(() => false);
    assembler.feed('');
    assembler.feed('a');
    expect(assembler.endBlock()).toBe('\na');
    assembler.startBlock(() => false);
    expect(assembler.endBlock()).toBe('');
  });

  it('costs the bytes that it is given, not their square', () => {
    const timeFor = (lines: number): number => {
      const assembler = new StreamAssembler();
      const line = 'x'.repeat(200);
      // Of the processor: on a busy machine a clock also counts the time of others.
      const begun = process.cpuUsage();
      assembler.startBlock((_line, accumulated) => accumulated === 'never');
      for (let i = 0; i < lines; i++) assembler.feed(line);
      expect(assembler.endBlock()).toHaveLength(lines * 201 - 1);
      const { user, system } = process.cpuUsage(begun);
      return user + system;
    };
    const best = (lines: number) => Math.min(...Array.from({ length: 7 }, () => timeFor(lines)));
    timeFor(5_000);
    // Eight times as many lines: 64 times the work if every line cost all that came before it.
    expect(best(40_000) / best(5_000)).toBeLessThan(30);
  });

  it('does not grow for ever', () => {
    const assembler = new StreamAssembler();
    assembler.startBlock(() => false);
    const line = 'x'.repeat(MAX_BLOCK_CHARS / 4);
    const blocks = Array.from({ length: 5 }, () => assembler.feed(line));
    expect(blocks.map((block) => block?.length ?? 0)).toEqual([0, 0, 0, MAX_BLOCK_CHARS + 3, line.length]);
  });
});
