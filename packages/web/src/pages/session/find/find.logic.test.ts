import { readFileSync } from 'node:fs';
import type { SessionEvent } from '@agent-mux/api/browser';
import { describe, expect, it, test } from 'vitest';
import type { Item } from '../../../data/items.ts';
import { applyEvents, EMPTY_CONVERSATION } from '../../../data/session.logic.ts';
import { findItems, findWanted, stepFound } from './find.logic.ts';

const recorded = readFileSync(new URL('../../../data/recordings/tour.jsonl', import.meta.url), 'utf8');
const events: SessionEvent[] = recorded
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const { items } = applyEvents(EMPTY_CONVERSATION, events);

test('finds text and tool calls case-insensitively, and nothing for an empty query', () => {
  const found = findItems(items, 'HELLO');
  expect(found.length).toBeGreaterThan(1);
  expect(found).toEqual([...found].sort((a, b) => a - b));
  expect(found.map((at) => items[at]?.kind)).toContain('tool');
  expect(findItems(items, '  ')).toEqual([]);
  expect(findItems(items, 'absent text')).toEqual([]);
});

test('steps from the current item and wraps around at the ends', () => {
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
  const story = [text(0, 'the zebra sleeps'), text(1, 'the zebra eats\ngreen grass'), text(2, 'a lion')];

  it('finds the item that shares most of the context', () => {
    expect(findWanted(story, { text: 'zebra', near: 'zebra eats green' })).toEqual({ text: 'zebra', at: 1 });
    expect(findWanted(story, { text: 'zebra', near: '' })).toEqual({ text: 'zebra', at: 0 });
  });

  it('searches each word separately when a line break splits them', () => {
    expect(findWanted(story, { text: 'eats green', near: 'eats green' })).toEqual({ text: 'eats', at: 1 });
  });

  it('finds nothing when only the title matches', () => {
    expect(findWanted(story, { text: 'giraffe', near: 'giraffe' })).toBeNull();
  });
});
