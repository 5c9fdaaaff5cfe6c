import { z } from 'zod';
import { entryOf, list, record } from '../shared/json.ts';

const PATH = /^(?:[^.[\]\s]+|\[\d{1,6}\])(?:\.[^.[\]\s]+|\[\d{1,6}\])*$/;
const STEP = /[^.[\]]+/g;

/** A path in a JSON value, as people write it: `choices[0].message.content`. */
export const jsonPath = z.string().max(300).regex(PATH, 'must be a path such as choices[0].message.content');

/** Undefined: no value at that path. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const step of path.match(STEP) ?? []) {
    if (Array.isArray(at)) at = /^\d+$/.test(step) ? list(at)[Number(step)] : undefined;
    else at = entryOf(record(at), step);
  }
  return at;
}
