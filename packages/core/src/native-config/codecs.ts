import type { ConfigFormat } from '../contract/surroundings.ts';

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
  if (format === 'toml') return (await import('./toml-codec.ts')).TOML_CODEC;
  if (format === 'yaml') return (await import('./yaml-codec.ts')).YAML_CODEC;
  return (await import('./json-codec.ts')).JSON_CODEC;
}

export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/** How this text ends its lines. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const lineEnds = text.split('\n').length - 1;
  return lineEnds > 0 && text.split('\r\n').length - 1 > lineEnds / 2 ? '\r\n' : '\n';
}
