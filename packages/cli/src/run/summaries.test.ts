import { describe, expect, it } from 'vitest';
import { summarizeInput, summarizeOutput } from './summaries.ts';

describe('summarizeInput', () => {
  it.each([
    [{ command: 'npm test', description: 'tests' }, 'npm test'],
    [{ command: ['bash', '-lc', 'ls'] }, 'bash -lc ls'],
    [{ file_path: '/a/b.ts', content: 'x' }, '/a/b.ts'],
    [{ depth: 2 }, '{"depth":2}'],
    [{}, ''],
    [null, ''],
    ['free form\ntext', 'free form text'],
  ])('summarizes %j as %s', (input, summary) => {
    expect(summarizeInput(input, 40)).toBe(summary);
  });
});

describe('summarizeOutput', () => {
  it.each([
    ['one\n\ntwo\nthree\n', 'one (+2 lines)'],
    [[{ type: 'text', text: 'from blocks' }], 'from blocks'],
    [['a', 'b'], 'a, b'],
    [[], 'nothing'],
    [{ stdout: 'out', stderr: '' }, 'out'],
    [{ content: [{ type: 'text', text: 'nested' }] }, 'nested'],
    [{ count: 3 }, '{"count":3}'],
    ['', 'done'],
    [null, 'done'],
  ])('summarizes %j as %s', (output, summary) => {
    expect(summarizeOutput(output, 40)).toBe(summary);
  });
});
