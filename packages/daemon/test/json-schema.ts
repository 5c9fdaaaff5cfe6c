/** The subset of JSON Schema used by the API document: validates answers and generates valid input. */
import { isRecord } from '@agent-mux/core';
import fc from 'fast-check';

export type JsonSchema = Record<string, unknown>;
export type Resolve = (ref: string) => JsonSchema;

const KNOWN = new Set([
  ...[
    '$ref',
    'type',
    'enum',
    'const',
    'anyOf',
    'oneOf',
    'allOf',
    'properties',
    'required',
    'additionalProperties',
    'propertyNames',
  ],
  ...[
    'items',
    'pattern',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'description',
    'default',
    'format',
  ],
]);

/** Returns the mismatches of a value, each with its path. */
export function findMisfits(schema: JsonSchema, value: unknown, resolve: Resolve, at = '$'): string[] {
  const odd = Object.keys(schema).filter((key) => !KNOWN.has(key));
  if (odd.length > 0) return [`${at}: the document uses unsupported keywords: ${odd.join(', ')}`];
  if (typeof schema.$ref === 'string') return findMisfits(resolve(schema.$ref), value, resolve, at);
  const choices = schemasOf(schema.anyOf ?? schema.oneOf);
  if (choices.length > 0) {
    const tried = choices.map((choice) => findMisfits(choice, value, resolve, at));
    return tried.some((misfits) => misfits.length === 0)
      ? []
      : [`${at}: fits none of ${choices.length}: ${tried.flat().slice(0, 3).join('; ')}`];
  }
  return [
    ...schemasOf(schema.allOf).flatMap((part) => findMisfits(part, value, resolve, at)),
    ...ownMisfits(schema, value, resolve, at),
  ];
}

function ownMisfits(schema: JsonSchema, value: unknown, resolve: Resolve, at: string): string[] {
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value)))
    return [`${at}: ${JSON.stringify(value)} is not ${types.join(' or ')}`];
  if (Array.isArray(schema.enum) && !schema.enum.includes(value))
    return [`${at}: ${JSON.stringify(value)} is not one of the allowed values`];
  if ('const' in schema && schema.const !== value) return [`${at}: is not ${JSON.stringify(schema.const)}`];
  if (typeof value === 'string') {
    const { length } = [...value];
    if (length < numberOf(schema.minLength, 0) || length > numberOf(schema.maxLength, Infinity))
      return [`${at}: has ${length} characters`];
    if (typeof schema.pattern === 'string' && !new RegExp(schema.pattern).test(value))
      return [`${at}: ${JSON.stringify(value)} does not match`];
  }
  if (typeof value === 'number') {
    const isTooSmall =
      value < numberOf(schema.minimum, -Infinity) || value <= numberOf(schema.exclusiveMinimum, -Infinity);
    if (isTooSmall || value > numberOf(schema.maximum, Infinity)) return [`${at}: ${value} is out of range`];
  }
  if (Array.isArray(value) && isRecord(schema.items)) {
    const { items } = schema;
    return value.flatMap((item, index) => findMisfits(items, item, resolve, `${at}[${index}]`));
  }
  return isRecord(value) ? objectMisfits(schema, value, resolve, at) : [];
}

function objectMisfits(schema: JsonSchema, value: Record<string, unknown>, resolve: Resolve, at: string): string[] {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const missing = [schema.required ?? []].flat().filter((name) => !(String(name) in value));
  const inner = Object.entries(value).flatMap(([name, each]) => {
    const known = properties[name];
    if (isRecord(known)) return findMisfits(known, each, resolve, `${at}.${name}`);
    if (schema.additionalProperties === false) return [`${at}.${name} is unknown`];
    return isRecord(schema.additionalProperties)
      ? findMisfits(schema.additionalProperties, each, resolve, `${at}.${name}`)
      : [];
  });
  return [...missing.map((name) => `${at}.${name} is missing`), ...inner];
}

function isOfType(type: unknown, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isRecord(value);
  return typeof value === type;
}

/** Generates valid values, as far as the schema describes them. */
export function valuesOf(schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> {
  if (typeof schema.$ref === 'string') return valuesOf(resolve(schema.$ref), resolve);
  const choices = schemasOf(schema.anyOf ?? schema.oneOf);
  if (choices.length > 0) return fc.oneof(...choices.map((choice) => valuesOf(choice, resolve)));
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return fc.jsonValue({ maxDepth: 2 });
  return fc.oneof(...types.map((type) => ofType(type, schema, resolve)));
}

function ofType(type: unknown, schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({
        min: Math.max(numberOf(schema.minimum, -1000), -(2 ** 31)),
        max: Math.min(numberOf(schema.maximum, 1000), 2 ** 31 - 1),
      });
    case 'number':
      return fc.double({
        noNaN: true,
        noDefaultInfinity: true,
        min: numberOf(schema.exclusiveMinimum ?? schema.minimum, -Number.MAX_VALUE),
        minExcluded: schema.exclusiveMinimum !== undefined,
        max: numberOf(schema.maximum, Number.MAX_VALUE),
      });
    case 'array':
      return fc.array(valuesOf(isRecord(schema.items) ? schema.items : {}, resolve), { maxLength: 3 });
    case 'object':
      return objectsOf(schema, resolve);
    default:
      return stringsOf(schema);
  }
}

function objectsOf(schema: JsonSchema, resolve: Resolve): fc.Arbitrary<unknown> {
  const { properties, additionalProperties } = schema;
  if (isRecord(properties)) {
    const fields = Object.fromEntries(
      Object.entries(properties).map(([name, each]) => [name, valuesOf(isRecord(each) ? each : {}, resolve)]),
    );
    return fc.record(fields, { requiredKeys: [schema.required ?? []].flat().map(String) });
  }
  const values = isRecord(additionalProperties)
    ? valuesOf(additionalProperties, resolve)
    : fc.jsonValue({ maxDepth: 2 });
  const names = isRecord(schema.propertyNames) ? stringsOf(schema.propertyNames) : fc.string({ maxLength: 8 });
  return fc.dictionary(names, values, { maxKeys: 3 });
}

/** Formats that no pattern describes. Uses days that every month has, so that the schedule occurs. */
const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  cron: fc
    .tuple(cronField(0, 59), cronField(0, 23), cronField(1, 28), cronField(1, 12), cronField(0, 7))
    .map((fields) => fields.join(' ')),
};

function cronField(least: number, most: number): fc.Arbitrary<string> {
  const number = fc.integer({ min: least, max: most });
  const range = fc.tuple(number, number).map((ends) => ends.toSorted((a, b) => a - b).join('-'));
  const part = fc.oneof(
    number.map(String),
    range,
    fc.constant('*/2'),
    range.map((text) => `${text}/3`),
  );
  return fc.oneof(
    fc.constant('*'),
    fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(',')),
  );
}

function stringsOf(schema: JsonSchema): fc.Arbitrary<string> {
  const { pattern, format } = schema;
  const known = typeof format === 'string' ? FORMATS[format] : undefined;
  if (known) return known;
  const minLength = numberOf(schema.minLength, 0);
  const maxLength = Math.min(numberOf(schema.maxLength, 20), 20);
  if (typeof pattern !== 'string') return fc.string({ minLength, maxLength, unit: 'grapheme' });
  const fits = (text: string) =>
    text.length >= minLength && text.length <= numberOf(schema.maxLength, 500) && new RegExp(pattern).test(text);
  const plain = fc.string({ minLength: Math.max(1, minLength), maxLength: Math.max(1, maxLength) }).filter(fits);
  // Patterns with lookaheads cannot be used to generate strings.
  return pattern.includes('(?') ? plain : fc.stringMatching(new RegExp(pattern)).filter(fits);
}

function schemasOf(value: unknown): JsonSchema[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback;
}
