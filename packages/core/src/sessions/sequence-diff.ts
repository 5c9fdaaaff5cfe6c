/** Sequences that differ in more steps have little in common, and the smallest change is not worth its cost. */
export const DIFF_STEP_LIMIT = 500;

export type DiffStep<Item> = { sign: ' '; before: Item; after: Item } | { sign: '-' | '+'; item: Item };

/**
 * The smallest change from one sequence to the other (Myers). Above DIFF_STEP_LIMIT: all of one, then all of the other.
 */
export function diffSequences<Item>(
  before: readonly Item[],
  after: readonly Item[],
  keyOf: (item: Item) => string,
): DiffStep<Item>[] {
  const a = before.map(keyOf);
  const b = after.map(keyOf);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const steps: DiffStep<Item>[] = [];
  const same = (i: number, j: number) => steps.push({ sign: ' ', before: before[i]!, after: after[j]! });
  for (let i = 0; i < head; i += 1) same(i, i);
  for (const [sign, i, j] of diffMiddle(a.slice(head, a.length - tail), b.slice(head, b.length - tail))) {
    if (sign === ' ') same(head + i, head + j);
    else steps.push({ sign, item: sign === '-' ? before[head + i]! : after[head + j]! });
  }
  for (let i = tail; i > 0; i -= 1) same(before.length - i, after.length - i);
  return steps;
}

type Move = [sign: ' ' | '-' | '+', before: number, after: number];

function diffMiddle(a: readonly string[], b: readonly string[]): Move[] {
  const trace = searchPath(a, b);
  if (!trace) {
    return [...a.map((_, i): Move => ['-', i, 0]), ...b.map((_, j): Move => ['+', 0, j])];
  }
  const moves: Move[] = [];
  let x = a.length;
  let y = b.length;
  for (let d = trace.length - 1; d >= 0; d -= 1) {
    const reached = trace[d]!;
    const k = x - y;
    const down = k === -d || (k !== d && (reached.get(k - 1) ?? -1) < (reached.get(k + 1) ?? -1));
    const previous = down ? k + 1 : k - 1;
    const fromX = d === 0 ? 0 : (reached.get(previous) ?? 0);
    const fromY = d === 0 ? 0 : fromX - previous;
    while (x > fromX && y > fromY) moves.push([' ', --x, --y]);
    if (d === 0) break;
    if (down) moves.push(['+', x, --y]);
    else moves.push(['-', --x, y]);
  }
  return moves.reverse();
}

/** How far each diagonal was reached before every step; undefined above the limit. */
function searchPath(a: readonly string[], b: readonly string[]): Map<number, number>[] | undefined {
  const furthest = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  const most = Math.min(a.length + b.length, DIFF_STEP_LIMIT);
  for (let d = 0; d <= most; d += 1) {
    trace.push(new Map([...furthest].filter(([k]) => Math.abs(k) <= d + 1)));
    for (let k = -d; k <= d; k += 2) {
      const below = furthest.get(k + 1) ?? -1;
      const left = furthest.get(k - 1) ?? -1;
      let x = k === -d || (k !== d && left < below) ? below : left + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest.set(k, x);
      if (x >= a.length && x - k >= b.length) return trace;
    }
  }
  return undefined;
}
