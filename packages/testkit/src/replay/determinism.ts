import { deepStrictEqual } from 'node:assert/strict';

/**
 * Replays three times and throws unless all give the same: twice unchanged, and once with the codec's state taken
 * through JSON after every line, which only plain data survives. Returns the result.
 */
export function assertDeterministic<T>(replay: (options: { storeState: boolean }) => T): T {
  const first = replay({ storeState: false });
  deepStrictEqual(replay({ storeState: false }), first, 'The same bytes gave other events the second time');
  deepStrictEqual(replay({ storeState: true }), first, 'The state is not plain data: it did not survive JSON');
  return first;
}
