import type { NativePath } from './codecs.ts';

/** What must be put where nothing is yet, so that the value stands at this path. */
export function nest(path: NativePath, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => (typeof key === 'number' ? [inner] : { [key]: inner }), value);
}

export function startsWith(path: NativePath, beginning: NativePath): boolean {
  return beginning.every((key, index) => path[index] === key);
}
