import { deepStrictEqual } from 'node:assert/strict';

/**
 * Throws if the work has left something on `Object.prototype`: a table that is indexed by what an agent says does that,
 * when it says `__proto__`. Everything in the process would then have it, so it is taken away again.
 */
export function guardPrototype<T>(work: () => T): T {
  try {
    return work();
  } finally {
    const left = Object.keys(Object.prototype);
    for (const key of left) Reflect.deleteProperty(Object.prototype, key);
    deepStrictEqual(left, [], 'what the agent said has changed Object.prototype; read tables with Object.hasOwn');
  }
}
