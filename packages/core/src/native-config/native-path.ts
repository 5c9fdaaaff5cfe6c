import type { NativePath } from './codecs.ts';

/** The value to insert at an empty location so that it ends up at this path. */
export function nest(path: NativePath, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => (typeof key === 'number' ? [inner] : { [key]: inner }), value);
}

export function startsWith(path: NativePath, prefix: NativePath): boolean {
  return prefix.every((key, index) => path[index] === key);
}
