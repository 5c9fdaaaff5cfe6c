import { expect, test } from 'vitest';
import { PAGE, pagesAround } from './pages.logic.ts';

test('computes the pages adjacent to the first, a middle and the last page', () => {
  const lastSeq = 3 * PAGE;
  expect(pagesAround(-1, lastSeq)).toEqual({ earlier: null, later: PAGE - 1, last: 2 * PAGE });
  expect(pagesAround(PAGE - 1, lastSeq)).toEqual({ earlier: -1, later: 2 * PAGE - 1, last: 2 * PAGE });
  expect(pagesAround(2 * PAGE, lastSeq)).toEqual({ earlier: PAGE, later: null, last: 2 * PAGE });
  expect(pagesAround(-1, -1)).toEqual({ earlier: null, later: null, last: -1 });
});
