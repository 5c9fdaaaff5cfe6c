import { deepStrictEqual } from 'node:assert/strict';

const GUARDED = { Object, Array, String, Number, Function, Promise, RegExp, Map, Set };

/**
 * Throws if the work has changed the prototype of all objects, or of another shared type: a table that is indexed by
 * agent input does that for `__proto__`. Everything in the process would be affected, so the change is reverted.
 */
export function guardPrototype<T>(work: () => T): T {
  const clean = watchPrototypes();
  try {
    return work();
  } finally {
    clean();
  }
}

/** Reverts changes made since, and throws if there were any. */
export function watchPrototypes(): () => void {
  const before = Object.values(GUARDED).map((kind) => Reflect.ownKeys(kind.prototype).length);
  return () => {
    const left = Object.entries(GUARDED).flatMap(([name, { prototype }], index) => {
      // New keys come after the old ones.
      const added = Reflect.ownKeys(prototype).slice(before[index]);
      for (const key of added) Reflect.deleteProperty(prototype, key);
      return added.map((key) => `${name}.prototype.${String(key)}`);
    });
    deepStrictEqual(left, [], 'what the agent said has changed what all objects have; read tables with Object.hasOwn');
  };
}
