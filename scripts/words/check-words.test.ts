import { describe, expect, it } from 'vitest';
import { findRemovedWords, readRules } from './check-words.ts';

const rules = readRules('# a comment\ntold|tells\temit, report\nallow\ttold|tells\t^vendor/\nat work\trunning');
const find = (text: string, path = 'src/a.ts') => findRemovedWords([{ path, text }], rules);

describe('check-words', () => {
  it('finds a removed word in prose, names and paths', () => {
    expect(find('// it tells\nconst toldEvents = 1;\nat work')).toEqual([
      'src/a.ts:1: "tells"; write: emit, report',
      'src/a.ts:2: "told"; write: emit, report',
      'src/a.ts:3: "at work"; write: running',
    ]);
    expect(find('', 'src/told-events.ts')).toEqual(['src/told-events.ts: the path has "told"; write: emit, report']);
  });

  it('matches whole words only', () => {
    expect(find('const retells = stolden; // networks at worker level')).toEqual([]);
  });

  it('exempts the files of an allow line from that rule alone', () => {
    expect(find('told at work', 'vendor/x.ts')).toEqual(['vendor/x.ts:1: "at work"; write: running']);
  });

  it('refuses an allow line without its rule', () => {
    expect(() => readRules('allow\tnothing\t^x')).toThrow('no rule "nothing"');
  });
});
