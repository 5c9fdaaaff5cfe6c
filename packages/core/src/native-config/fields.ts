import type { AgentConfigSchema, ConfigField } from '../contract/auth-and-config.ts';
import type { ValidationIssue } from '../contract/errors.ts';
import { ValidationError } from '../contract/errors.ts';
import { suggestNames } from '../suggest-names.ts';
import { isPlainObject } from './changes.ts';
import type { ConfigChange, NativePath } from './codecs.ts';
import { containsMask } from './mask.ts';

/** A given name, and its path in the native file. */
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

/** Resolves names of the schema, or native paths. Throws with all invalid ones. */
export function resolveNames(
  schema: AgentConfigSchema,
  names: readonly string[],
  options: { native?: boolean } = {},
): NamedPath[] {
  const { found, issues } = lookUpNames(schema, names, options);
  if (issues.length > 0) throw refusal(schema, issues);
  return found;
}

function lookUpNames(schema: AgentConfigSchema, names: readonly string[], options: { native?: boolean }) {
  const issues: ValidationIssue[] = [];
  const found = names.flatMap((name): NamedPath[] => {
    if (options.native) {
      const path = nativePathOf(name);
      if (path) return [{ name, path }];
      issues.push({ field: name, problem: 'is not a path such as a.b or a."b.c".d' });
      return [];
    }
    const field = schema.fields.find((candidate) => candidate.name === name);
    if (field) return [{ name, path: pathOf(field), field }];
    issues.push({ field: name, problem: describeUnknownField(schema, name) });
    return [];
  });
  return { found, issues };
}

/** Converts values to changes, checked by the schema. */
export function changesOf(
  schema: AgentConfigSchema,
  values: Readonly<Record<string, unknown>>,
  options: { native?: boolean } = {},
): (ConfigChange & { name: string })[] {
  const issues: ValidationIssue[] = [];
  const changes: (ConfigChange & { name: string })[] = [];
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    const { found: [named] = [], issues: unknown } = lookUpNames(schema, [name], options);
    issues.push(...unknown);
    if (!named) continue;
    const problem = (named.field && findProblem(named.field, value)) ?? findDataProblem(value);
    if (problem) issues.push({ field: name, problem });
    else changes.push({ name, path: named.path, value });
  }
  if (issues.length > 0) throw refusal(schema, issues);
  return changes;
}

/** Issue of a field's value; undefined if it is valid. */
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
  if (!isData(value)) return 'cannot be stored in a file';
  return containsMask(value) ? 'contains the mask of a secret instead of the secret' : undefined;
}

/** Values of any format; TOML's lack of null is reported on writing. */
function isData(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isData);
  if (isPlainObject(value)) return Object.values(value).every((inner) => inner === undefined || isData(inner));
  if (typeof value === 'number') return Number.isFinite(value);
  return value === null || typeof value === 'string' || typeof value === 'boolean';
}

function describeUnknownField(schema: AgentConfigSchema, name: string): string {
  const known = schema.fields.map((field) => field.name);
  const near = suggestNames(name, known);
  const hint =
    near.length > 0 ? `; did you mean ${near.join(' or ')}?` : known.length > 0 ? `: ${known.join(', ')}` : '';
  return `is not a field of ${schema.agent}'s configuration${hint}`;
}

function refusal(schema: AgentConfigSchema, issues: readonly ValidationIssue[]): ValidationError {
  const hint = 'use --native (SDK: native: true) to pass a path of the native file';
  const isUnknown = issues.some(({ problem }) => problem.startsWith('is not a field'));
  return new ValidationError('configuration', issues, { agent: schema.agent, ...(isUnknown ? { hint } : {}) });
}
