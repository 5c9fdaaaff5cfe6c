type Schema = Readonly<Record<string, unknown>>;

/** Keywords without constraints. */
const NOTES = new Set(['$schema', '$defs', 'title', 'description']);
const KNOWN = new Set([
  ...NOTES,
  ...['$ref', 'const', 'enum', 'anyOf', 'type', 'items', 'properties', 'required', 'additionalProperties'],
]);

/**
 * Issues of a value with a schema of docs/json. Stricter than the schema, which allows additional fields:
 * an undocumented field is an issue here, and so is an unsupported keyword.
 */
export function findSchemaIssues(schema: Schema, value: unknown, root: Schema = schema, at = 'value'): string[] {
  const unknown = Object.keys(schema).filter((keyword) => !KNOWN.has(keyword));
  if (unknown.length > 0) return [`${at}: the schema says ${unknown.join(', ')}, which is not checked`];
  const further = (part: unknown, inner: unknown, name: string) =>
    findSchemaIssues(schemaOf(part, name), inner, root, name);
  if (typeof schema.$ref === 'string') {
    const target = schemaOf(root.$defs, '$defs')[schema.$ref.replace('#/$defs/', '')];
    return further(target, value, at);
  }
  if (Array.isArray(schema.anyOf)) {
    const tried = schema.anyOf.map((part) => further(part, value, at));
    return tried.some((issues) => issues.length === 0)
      ? []
      : [`${at} is none of ${tried.length}: ${tried.join(' | ')}`];
  }
  if ('const' in schema) return schema.const === value ? [] : [`${at} is not ${JSON.stringify(schema.const)}`];
  if (Array.isArray(schema.enum)) return schema.enum.includes(value) ? [] : [`${at} is not one of ${schema.enum}`];
  if (schema.type === undefined) return [];
  if (schema.type !== typeOf(value)) return [`${at} is not a ${schema.type}`];
  if (Array.isArray(value)) return value.flatMap((each, index) => further(schema.items, each, `${at}[${index}]`));
  return schema.type === 'object' ? objectFaults(schema, schemaOf(value, at), further, at) : [];
}

function objectFaults(
  { properties = {}, required, additionalProperties }: Schema,
  value: Schema,
  further: (part: unknown, inner: unknown, name: string) => string[],
  at: string,
): string[] {
  const known = schemaOf(properties, at);
  const missing = (Array.isArray(required) ? required : []).filter((name) => !Object.hasOwn(value, name));
  return [
    ...missing.map((name) => `${at}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, inner]) => {
      const part = Object.hasOwn(known, name) ? known[name] : additionalProperties;
      return part === undefined ? [`${at}.${name} is not in the schema`] : further(part, inner, `${at}.${name}`);
    }),
  ];
}

function schemaOf(value: unknown, at: string): Schema {
  if (typeof value === 'object' && value !== null) return { ...value };
  throw new Error(`${at}: an object is due`);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
