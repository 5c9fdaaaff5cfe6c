import { deepStrictEqual } from 'node:assert/strict';

const GUARDED = { Object, Array, String, Number, Function, Promise, RegExp, Map, Set };

/**
 * Throws if the work has left something on the prototype of all objects, or of another kind that everybody has: a table
 * that is indexed by what an agent says does that, when it says `__proto__`. Everything in the process would then have it,
 * so it is taken away again.
 */
export function guardPrototype<T>(work: () => T): T {
  const clean = watchPrototypes();
  try {
    return work();
  } finally {
    clean();
  }
}

/** Takes away what has been left on them since, and throws if there was anything. */
export function watchPrototypes(): () => void {
  const before = Object.values(GUARDED).map((kind) => Reflect.ownKeys(kind.prototype).length);
  return () => {
    const left = Object.entries(GUARDED).flatMap(([name, { prototype }], index) => {
      // New keys stand behind the old ones.
      const added = Reflect.ownKeys(prototype).slice(before[index]);
      for (const key of added) Reflect.deleteProperty(prototype, key);
      return added.map((key) => `${name}.prototype.${String(key)}`);
    });
    deepStrictEqual(left, [], 'what the agent said has changed what all objects have; read tables with Object.hasOwn');
  };
}
