/** JSON Schema of a type: what `JSON.stringify` makes of a value that has it. */
import { SymbolFlags, type Type, TypeFlags, type Symbol as TypeSymbol } from 'typescript/unstable/sync';
import { commentOf, type Types } from './compiler.ts';

export type JsonSchema = { [keyword: string]: unknown };

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
/** Generic type helpers without a shape. */
const HELPERS = new Set(['Omit', 'Pick', 'Partial', 'Readonly', 'Required', 'Record', 'NonNullable', 'Extract']);

/** A self-contained document: referenced types are in its `$defs`. */
export function schemaDocument(types: Types, type: Type, about: { title: string; description: string }): JsonSchema {
  const made = new SchemaMaker(types);
  const schema = made.schemaOf(type);
  return { $schema: DIALECT, ...about, ...schema, ...(made.defs.size > 0 ? { $defs: made.sortedDefs() } : {}) };
}

class SchemaMaker {
  readonly defs = new Map<string, { type: Type; schema: JsonSchema }>();
  readonly #types: Types;

  constructor(types: Types) {
    this.#types = types;
  }

  sortedDefs(): JsonSchema {
    const names = [...this.defs.keys()].sort();
    return Object.fromEntries(names.map((name) => [name, this.defs.get(name)?.schema]));
  }

  schemaOf(type: Type): JsonSchema {
    const symbol = type.getAliasSymbol() ?? (type.isClassOrInterface() ? type.getSymbol() : undefined);
    if (!symbol || HELPERS.has(symbol.name) || this.#types.checker.isArrayLikeType(type)) return this.#shapeOf(type);
    const known = this.defs.get(symbol.name);
    if (known && known.type.id !== type.id) throw new Error(`two types are called ${symbol.name}`);
    if (!known) {
      const entry = { type, schema: {} };
      this.defs.set(symbol.name, entry);
      entry.schema = { ...describe(commentOf(this.#types, symbol)), ...this.#shapeOf(type) };
    }
    return { $ref: `#/$defs/${symbol.name}` };
  }

  #shapeOf(type: Type): JsonSchema {
    const { checker } = this.#types;
    const simple = intrinsic(type);
    if (simple) return simple;
    if (type.isStringLiteralType() || type.isNumberLiteralType() || type.isBooleanLiteralType())
      return { const: type.value };
    if (type.isUnionType()) return this.#union(type.getTypes());
    if (checker.isArrayLikeType(type) && type.isTypeReference()) {
      const [item] = checker.getTypeArguments(type);
      return { type: 'array', items: item ? this.schemaOf(item) : {} };
    }
    if (type.isObjectType() || type.isIntersectionType()) return this.#object(type);
    throw new Error(`no JSON is known for ${checker.typeToString(type)}`);
  }

  /** Sorted, because the compiler's order depends on what it checks first. */
  #union(members: readonly Type[]): JsonSchema {
    const present = members.filter(({ flags }) => (flags & TypeFlags.Undefined) === 0);
    const schemas = present.map((member) => this.schemaOf(member));
    const values = schemas.flatMap((schema) => ('const' in schema ? [schema.const] : []));
    const others = schemas.filter((schema) => !('const' in schema));
    const isFlag = values.includes(true) && values.includes(false);
    const words = isFlag ? values.filter((value) => typeof value !== 'boolean') : values;
    const parts = [
      ...others,
      ...(isFlag ? [{ type: 'boolean' }] : []),
      ...(words.length === 1 ? [{ const: words[0] }] : words.length > 1 ? [{ enum: words.map(String).sort() }] : []),
    ];
    const [only, ...more] = parts;
    if (only && more.length === 0) return only;
    return { anyOf: parts.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) };
  }

  #object(type: Type): JsonSchema {
    const { checker } = this.#types;
    const properties: JsonSchema = {};
    const required: string[] = [];
    for (const property of checker.getPropertiesOfType(type)) {
      const value = checker.getTypeOfSymbol(property);
      // JSON has no functions.
      if (!value || isCallable(value, this.#types)) continue;
      properties[property.name] = { ...describe(commentOf(this.#types, property)), ...this.schemaOf(value) };
      if (!isOptional(property, value)) required.push(property.name);
    }
    const [index] = checker.getIndexInfosOfType(type);
    return {
      type: 'object',
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
      ...(index ? { additionalProperties: this.schemaOf(index.valueType) } : {}),
    };
  }
}

function intrinsic({ flags }: Type): JsonSchema | undefined {
  if ((flags & (TypeFlags.Any | TypeFlags.Unknown)) !== 0) return {};
  if ((flags & TypeFlags.String) !== 0) return { type: 'string' };
  if ((flags & TypeFlags.Number) !== 0) return { type: 'number' };
  if ((flags & TypeFlags.Boolean) !== 0) return { type: 'boolean' };
  return (flags & TypeFlags.Null) === 0 ? undefined : { type: 'null' };
}

function isOptional({ flags }: TypeSymbol, type: Type): boolean {
  if ((flags & SymbolFlags.Optional) !== 0) return true;
  return type.isUnionType() && type.getTypes().some((member) => (member.flags & TypeFlags.Undefined) !== 0);
}

function isCallable(type: Type, { checker }: Types): boolean {
  return checker.getSignaturesOfType(type, 0).length > 0;
}

function describe(text: string): { description?: string } {
  return text === '' ? {} : { description: text };
}
