import { describe, expect, it } from 'vitest';
import { MAX_BLOCK_CHARS, StreamAssembler } from './assembler.ts';

describe('stream assembler', () => {
  it('passes lines through and collects them while a block is open', () => {
    const assembler = new StreamAssembler();
    expect(assembler.feed('one')).toBe('one');
    assembler.startBlock((line) => line === '}');
    expect([assembler.feed('{'), assembler.feed(''), assembler.inBlock]).toEqual([null, null, true]);
    expect([assembler.bufferedLineCount, assembler.peek()]).toEqual([2, '{\n']);
    expect(assembler.feed('}')).toBe('{\n\n}');
    expect([assembler.inBlock, assembler.endBlock(), assembler.feed('next')]).toEqual([false, null, 'next']);
  });

  it('keeps an empty first line and returns the partial block when no end arrives', () => {
    const assembler = new StreamAssembler();
    assembler.startBlock(() => false);
    assembler.feed('');
    assembler.feed('a');
    expect(assembler.endBlock()).toBe('\na');
    assembler.startBlock(() => false);
    expect(assembler.endBlock()).toBe('');
  });

  it('scales linearly with the input size', () => {
    const timeFor = (lines: number): number => {
      const assembler = new StreamAssembler();
      const line = 'x'.repeat(200);
      // CPU time, because wall-clock time includes other processes.
      const start = process.cpuUsage();
      assembler.startBlock((_line, accumulated) => accumulated === 'never');
      for (let i = 0; i < lines; i++) assembler.feed(line);
      expect(assembler.endBlock()).toHaveLength(lines * 201 - 1);
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    const best = (lines: number) => Math.min(...Array.from({ length: 7 }, () => timeFor(lines)));
    timeFor(5_000);
    // Eight times as many lines: 64 times the work if every line reprocessed the whole block.
    expect(best(40_000) / best(5_000)).toBeLessThan(30);
  });

  it('limits the size of a block', () => {
    const assembler = new StreamAssembler();
    assembler.startBlock(() => false);
    const line = 'x'.repeat(MAX_BLOCK_CHARS / 4);
    const blocks = Array.from({ length: 5 }, () => assembler.feed(line));
    expect(blocks.map((block) => block?.length ?? 0)).toEqual([0, 0, 0, MAX_BLOCK_CHARS + 3, line.length]);
  });
});
