import { readFileSync } from 'node:fs';
import type { SessionEvent } from '@agent-mux/api/browser';
import { describe, expect, it, test } from 'vitest';
import type { Item } from '../../../data/items.ts';
import { EMPTY_CONVERSATION, takeEvents } from '../../../data/session.logic.ts';
import { findItems, findWanted, stepFound } from './find.logic.ts';

const recorded = readFileSync(new URL('../../../data/recordings/tour.jsonl', import.meta.url), 'utf8');
const events: SessionEvent[] = recorded
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const { items } = takeEvents(EMPTY_CONVERSATION, events);

test('what was said and done is found, whatever its case, and nothing is found for no words', () => {
  const found = findItems(items, 'HELLO');
  expect(found.length).toBeGreaterThan(1);
  expect(found).toEqual([...found].sort((a, b) => a - b));
  expect(found.map((at) => items[at]?.kind)).toContain('tool');
  expect(findItems(items, '  ')).toEqual([]);
  expect(findItems(items, 'no such words')).toEqual([]);
});

test('next and previous go around at the ends, and on from where one is', () => {
  const found = [2, 5, 9];
  expect(stepFound(found, null, 1)).toBe(2);
  expect(stepFound(found, null, -1)).toBe(9);
  expect(stepFound(found, 2, 1)).toBe(5);
  expect(stepFound(found, 9, 1)).toBe(2);
  expect(stepFound(found, 2, -1)).toBe(9);
  expect(stepFound(found, 7, -1)).toBe(5);
  expect(stepFound([], 3, 1)).toBeNull();
});

describe('findWanted', () => {
  const text = (at: number, text: string): Item => ({
    kind: 'text',
    key: `${at}`,
    seq: at,
    time: 0,
    text,
    isOpen: false,
  });
  const told = [text(0, 'the zebra sleeps'), text(1, 'the zebra eats\ngreen grass'), text(2, 'a lion')];

  it('finds the item with most of the text around the words', () => {
    expect(findWanted(told, { words: 'zebra', near: 'zebra eats green' })).toEqual({ words: 'zebra', at: 1 });
    expect(findWanted(told, { words: 'zebra', near: '' })).toEqual({ words: 'zebra', at: 0 });
  });

  it('looks for each word alone where a line ends between them', () => {
    expect(findWanted(told, { words: 'eats green', near: 'eats green' })).toEqual({ words: 'eats', at: 1 });
  });

  it('finds nothing where only the title has the words', () => {
    expect(findWanted(told, { words: 'giraffe', near: 'giraffe' })).toBeNull();
  });
});
