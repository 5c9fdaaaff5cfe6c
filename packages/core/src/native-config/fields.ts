import type { Fault } from '../contract/errors.ts';
import { ValidationError } from '../contract/errors.ts';
import type { AgentConfigSchema, ConfigField } from '../contract/surroundings.ts';
import { findNearNames } from '../near-names.ts';
import { isPlainObject } from './changes.ts';
import type { ConfigChange, NativePath } from './codecs.ts';
import { holdsMask } from './mask.ts';

/** A name that somebody gave, and where it stands in the native file. */
export interface NamedPath {
  name: string;
  path: NativePath;
  field?: ConfigField;
}

export function pathOf(field: ConfigField): NativePath {
  return schemaPath(field.nativePath ?? field.name);
}

/** A path as schemas write it. */
export function schemaPath(written: string): NativePath {
  return nativePathOf(written) ?? written.split('.');
}

/** Names of the schema, or native paths. Throws with all that are none. */
export function resolveNames(
  schema: AgentConfigSchema,
  names: readonly string[],
  options: { native?: boolean } = {},
): NamedPath[] {
  const { found, faults } = lookUpNames(schema, names, options);
  if (faults.length > 0) throw refusal(schema, faults);
  return found;
}

function lookUpNames(schema: AgentConfigSchema, names: readonly string[], options: { native?: boolean }) {
  const faults: Fault[] = [];
  const found = names.flatMap((name): NamedPath[] => {
    if (options.native) {
      const path = nativePathOf(name);
      if (path) return [{ name, path }];
      faults.push({ field: name, problem: 'is not a path such as a.b or a."b.c".d' });
      return [];
    }
    const field = schema.fields.find((candidate) => candidate.name === name);
    if (field) return [{ name, path: pathOf(field), field }];
    faults.push({ field: name, problem: describeUnknownField(schema, name) });
    return [];
  });
  return { found, faults };
}

/** The values as changes, checked by the schema. */
export function changesOf(
  schema: AgentConfigSchema,
  values: Readonly<Record<string, unknown>>,
  options: { native?: boolean } = {},
): (ConfigChange & { name: string })[] {
  const faults: Fault[] = [];
  const changes: (ConfigChange & { name: string })[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const { found: [named] = [], faults: unknown } = lookUpNames(schema, [name], options);
    faults.push(...unknown);
    if (!named) continue;
    const problem = (named.field && findProblem(named.field, value)) ?? findDataProblem(value);
    if (problem) faults.push({ field: name, problem });
    else changes.push({ name, path: named.path, value });
  }
  if (faults.length > 0) throw refusal(schema, faults);
  return changes;
}

/** What is wrong with a value of a field; undefined: nothing. */
export function findProblem(field: ConfigField, value: unknown): string | undefined {
  if (!hasType(value, field.type)) return `must be of type ${field.type}`;
  if (typeof value === 'string' && field.values && !field.values.includes(value)) {
    return `must be one of ${field.values.join(', ')}`;
  }
  return undefined;
}

/** `a.b`, and `a."b.c".d` for keys with dots in them. */
function nativePathOf(written: string): NativePath | undefined {
  const path: string[] = [];
  const part = /(?:"((?:[^"\\]|\\.)*)"|([^."]+))(\.|$)/y;
  while (part.lastIndex < written.length) {
    const at = part.exec(written);
    if (!at) return undefined;
    const [whole, quoted, plain, end] = at;
    path.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll(/\\(.)/g, '$1'));
    if (end === '.' && part.lastIndex === written.length) return undefined;
    if (whole === '') return undefined;
  }
  return path.length > 0 && !path.includes('__proto__') ? path : undefined;
}

function hasType(value: unknown, type: ConfigField['type']): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isPlainObject(value);
  return type === 'number' ? typeof value === 'number' && Number.isFinite(value) : typeof value === type;
}

function findDataProblem(value: unknown): string | undefined {
  if (!isData(value)) return 'is nothing that a file can hold';
  return holdsMask(value) ? 'holds the mask of a secret, and not the secret' : undefined;
}

/** What every format can say: no null in TOML is told when it is written. */
function isData(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isData);
  if (isPlainObject(value)) return Object.values(value).every((inner) => inner === undefined || isData(inner));
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

function describeUnknownField(schema: AgentConfigSchema, name: string): string {
  const known = schema.fields.map((field) => field.name);
  const near = findNearNames(name, known);
  const hint =
    near.length > 0 ? `; did you mean ${near.join(' or ')}?` : known.length > 0 ? `: ${known.join(', ')}` : '';
  return `is not a field of ${schema.agent}'s configuration${hint}`;
}

function refusal(schema: AgentConfigSchema, faults: readonly Fault[]): ValidationError {
  const hint = 'a path of the native file can be given as such (native: true, --native)';
  const isUnknown = faults.some(({ problem }) => problem.startsWith('is not a field'));
  return new ValidationError('configuration', faults, { agent: schema.agent, ...(isUnknown ? { hint } : {}) });
}
