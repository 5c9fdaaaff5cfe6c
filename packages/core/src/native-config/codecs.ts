import type { ConfigFormat } from '../contract/auth-and-config.ts';
import { LineIndex } from '../documents/line-index.ts';
import { lazyModules } from '../lazy-modules.ts';

/** Keys of objects, and indexes of lists. */
export type NativePath = readonly (string | number)[];

/** One value of a native file; `undefined` removes it. The index after the last of a list appends to it. */
export interface ConfigChange {
  path: NativePath;
  value: unknown;
}

/** Lines and columns count from 1. */
export interface SourcePosition {
  line: number;
  column: number;
}

/**
 * Maximum size of a native file. JSON that agents write themselves, such as histories of years, is smaller; files that
 * people write in the other formats, which are slow to parse, are much smaller.
 */
export const NATIVE_FILE_LIMITS: Readonly<Record<ConfigFormat, number>> = {
  json: 64 * 1024 * 1024,
  jsonc: 64 * 1024 * 1024,
  toml: 1024 * 1024,
  yaml: 256 * 1024,
};
/** Maximum nesting depth in every format. */
export const NATIVE_DEPTH_LIMIT = 256;

/** How a native file is parsed and changed. Byte order marks are handled by `editChecked`. */
export interface ConfigCodec {
  /** Throws ConfigSyntaxError on invalid text. Empty text is an empty object. */
  parse(text: string): unknown;
  /** Returns the text with these changes; everything else, including comments, stays. */
  edit(text: string, changes: readonly ConfigChange[]): string;
  /** The position of a value, or of what is nearest to it. For valid text. */
  locate(text: string, path: NativePath): SourcePosition;
}

/** Describes the problem and its position without quoting the file, which may contain secrets. */
export class ConfigSyntaxError extends Error {
  readonly position: SourcePosition;

  constructor(problem: string, position: SourcePosition) {
    super(problem);
    this.name = 'ConfigSyntaxError';
    this.position = position;
  }
}

/** Loads the libraries for TOML and YAML only when such a file is read. */
export async function codecOf(format: ConfigFormat): Promise<ConfigCodec> {
  if (format === 'toml') return lazyModules.tomlCodec().TOML_CODEC;
  if (format === 'yaml') return lazyModules.yamlCodec().YAML_CODEC;
  return lazyModules.jsonCodec().JSON_CODEC;
}

export function positionAt(text: string, offset: number): SourcePosition {
  return new LineIndex(text).at(offset);
}

/** Throws if a value is nested too deeply or contains itself: later code recurses into all of it. */
export function assertShallow(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth === NATIVE_DEPTH_LIMIT) throw new ConfigSyntaxError(TOO_DEEP, { line: 1, column: 1 });
  for (const inner of Object.values(value)) assertShallow(inner, depth + 1);
}

export const TOO_DEEP = `nested more than ${NATIVE_DEPTH_LIMIT} levels deep`;

/** The line ending of this text. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const lineEnds = text.split('\n').length - 1;
  return lineEnds > 0 && text.split('\r\n').length - 1 > lineEnds / 2 ? '\r\n' : '\n';
}
