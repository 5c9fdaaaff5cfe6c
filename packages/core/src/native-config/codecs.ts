import type { ConfigFormat } from '../contract/surroundings.ts';
import { LinePlaces } from '../documents/line-places.ts';
import { onDemand } from '../on-demand.ts';

/** Keys of objects, and places in lists. */
export type NativePath = readonly (string | number)[];

/** One value of a native file; `undefined` takes it out. The place after the last of a list adds to it. */
export interface ConfigChange {
  path: NativePath;
  value: unknown;
}

/** Lines and columns count from 1. */
export interface Place {
  line: number;
  column: number;
}

/**
 * A native file above this size is not read. What agents write into their JSON themselves, such as histories of years, is
 * smaller; what people write in the other formats, which are slow to read, is much smaller.
 */
export const NATIVE_FILE_LIMITS: Readonly<Record<ConfigFormat, number>> = {
  json: 64 * 1024 * 1024,
  jsonc: 64 * 1024 * 1024,
  toml: 1024 * 1024,
  yaml: 256 * 1024,
};
/** Objects and lists within each other, in every format. */
export const NATIVE_DEPTH_LIMIT = 256;

/** How a native file is read and changed. Byte order marks are not its business: see `checkedEdit`. */
export interface ConfigCodec {
  /** Throws ConfigSyntaxError on text that it cannot read. Empty text is an empty object. */
  parse(text: string): unknown;
  /** The same text with these changes; everything else, comments too, stays. */
  edit(text: string, changes: readonly ConfigChange[]): string;
  /** Where a value stands, or what is nearest to it. For text that can be read. */
  locate(text: string, path: NativePath): Place;
}

/** Says what is wrong and where, without a word of the file: it may hold secrets. */
export class ConfigSyntaxError extends Error {
  readonly place: Place;

  constructor(problem: string, place: Place) {
    super(problem);
    this.name = 'ConfigSyntaxError';
    this.place = place;
  }
}

/** The libraries for TOML and YAML are loaded where such a file is read, and only then. */
export async function codecOf(format: ConfigFormat): Promise<ConfigCodec> {
  if (format === 'toml') return onDemand.tomlCodec().TOML_CODEC;
  if (format === 'yaml') return onDemand.yamlCodec().YAML_CODEC;
  return onDemand.jsonCodec().JSON_CODEC;
}

export function placeAt(text: string, offset: number): Place {
  return new LinePlaces(text).at(offset);
}

/** Throws where a value is deeper than the limit, or holds itself: what reads on goes down into all of it. */
export function assertShallow(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth === NATIVE_DEPTH_LIMIT) throw new ConfigSyntaxError(TOO_DEEP, { line: 1, column: 1 });
  for (const inner of Object.values(value)) assertShallow(inner, depth + 1);
}

export const TOO_DEEP = `nested more than ${NATIVE_DEPTH_LIMIT} deep`;

/** How this text ends its lines. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const lineEnds = text.split('\n').length - 1;
  return lineEnds > 0 && text.split('\r\n').length - 1 > lineEnds / 2 ? '\r\n' : '\n';
}
