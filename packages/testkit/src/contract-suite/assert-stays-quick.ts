import { ok } from 'node:assert/strict';

const MANY_TIMES = 8;

/**
 * Throws if many messages take far more than proportionally longer than few: an adapter that scans all earlier messages
 * each time would become slower and slower. Generous, and tried twice, since the machine may be busy.
 */
export function assertStaysQuick(few: number, hear: (count: number) => void): void {
  const timed = (count: number): number => {
    const startedAt = performance.now();
    hear(count);
    return performance.now() - startedAt;
  };
  const short = Math.max(1, timed(few));
  const most = short * MANY_TIMES * 4 + 500;
  let long = timed(few * MANY_TIMES);
  if (long >= most) long = Math.min(long, timed(few * MANY_TIMES));
  const took = `${few} took ${short.toFixed(1)} ms, and ${MANY_TIMES} times as many ${long.toFixed(1)} ms`;
  ok(long < most, `${took}; below ${most.toFixed()} ms was expected`);
}
