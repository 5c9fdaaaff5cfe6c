/** Whoever has only the address of a daemon and its document: every route, with input that fits and input that does not. */
import { isRecord } from '@agent-mux/core';
import fc from 'fast-check';
import { expect } from 'vitest';
import { findMisfits, type JsonSchema, type Resolve, valuesOf } from './json-schema.ts';
import type { Answer, AskOptions } from './served-api.ts';

export interface Operation {
  operationId: string;
  method: string;
  path: string;
  parameters: { name: string; in: string; required: boolean; schema: JsonSchema }[];
  body: JsonSchema | 'raw' | null;
  responses: Record<
    string,
    { content?: Record<string, { schema?: JsonSchema; itemSchema?: JsonSchema }>; $ref?: string }
  >;
}

export interface Fuzzer {
  operations: readonly Operation[];
  resolve: Resolve;
  /** The routes that have answered well at least once. */
  wentWell: ReadonlySet<string>;
  goodInput(operation: Operation): fc.Arbitrary<Input>;
  checkAnswer(operation: Operation, answer: Answer): void;
  /** So many requests of each kind for each route, in rounds, so that what one makes is found by the next. */
  walk(given: { runs: number; rounds: number; leaveOut?: readonly string[] }): Promise<void>;
}

interface Input {
  path: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
}

const NASTY = fc.constantFrom(
  '',
  '.',
  '..',
  '../..',
  '%',
  '%zz',
  '%00',
  '\0',
  ' ',
  '-1',
  '0',
  '1e999',
  'NaN',
  'null',
  '[object Object]',
  '__proto__',
  'constructor',
  "'; drop table sessions; --",
  '\ud800',
  '💥',
  'x'.repeat(5000),
  '/etc/passwd',
  '{{7*7}}',
  '\r\nX-Injected: 1',
  'true',
  '*',
);

export async function openFuzzer(ask: (path: string, options?: AskOptions) => Promise<Answer>): Promise<Fuzzer> {
  const document = (await ask('/api/v1/openapi.json')).json();
  const resolve: Resolve = (ref) => {
    const found = ref
      .split('/')
      .slice(1)
      .reduce<unknown>((part, key) => (isRecord(part) ? part[key] : undefined), document);
    if (!isRecord(found)) throw new Error(`the document has no ${ref}`);
    return found;
  };
  const operations = readOperations(document);
  /** What is there, by the path of its list, as answers have named it. */
  const seen = new Map<string, Set<string>>();
  const wentWell = new Set<string>();

  function knownFor(path: string, name: string): string[] {
    return [...(seen.get(name === 'agent' ? name : path.slice(0, path.indexOf(`/{${name}}`))) ?? [])];
  }

  /** What is there is asked for more often than what is not. */
  function pathValues(path: string, name: string, schema: JsonSchema): fc.Arbitrary<string> {
    const made = valuesOf(schema, resolve).map(String);
    const known = knownFor(path, name);
    return known.length === 0
      ? made
      : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: made });
  }

  function goodInput({ path, parameters, body }: Operation): fc.Arbitrary<Input> {
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    const inQuery = parameters.filter((parameter) => parameter.in === 'query');
    const texts = (schema: JsonSchema) => valuesOf(schema, resolve).map(String);
    return fc.record({
      path: fc.record(Object.fromEntries(inPath.map(({ name, schema }) => [name, pathValues(path, name, schema)]))),
      query: fc.record(Object.fromEntries(inQuery.map(({ name, schema }) => [name, texts(schema)])), {
        requiredKeys: inQuery.filter(({ required }) => required).map(({ name }) => name),
      }),
      body: body === null ? fc.constant(undefined) : body === 'raw' ? fc.string() : valuesOf(body, resolve),
    });
  }

  /** Only what must be given, and of what is there the newest. */
  function leastInput(operation: Operation): Input {
    const [{ path, query, body }] = fc.sample(goodInput(operation), 1) as [Input];
    const required = operation.parameters.filter((parameter) => parameter.required).map(({ name }) => name);
    const newest = Object.entries(path).map(([name, made]) => [name, knownFor(operation.path, name).at(-1) ?? made]);
    return {
      path: Object.fromEntries(newest),
      query: Object.fromEntries(Object.entries(query).filter(([name]) => required.includes(name))),
      body: leastBody(operation.body, body),
    };
  }

  function leastBody(schema: Operation['body'], body: unknown): unknown {
    if (schema === null || schema === 'raw' || !isRecord(body)) return body;
    const { required } = typeof schema.$ref === 'string' ? resolve(schema.$ref) : schema;
    const names = [required ?? []].flat();
    return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
  }

  function badInput(operation: Operation): fc.Arbitrary<Input> {
    const fields = operation.body !== null && operation.body !== 'raw' ? Object.keys(propertiesOf(operation.body)) : [];
    return fc
      .tuple(goodInput(operation), NASTY, fc.jsonValue({ maxDepth: 3 }), fc.nat())
      .map(([good, nasty, json, at]) => {
        const names = operation.parameters.map(({ name }) => name);
        const spoilt = names[at % Math.max(1, names.length)];
        const isQuery = operation.parameters.some(({ name, in: place }) => name === spoilt && place === 'query');
        const field = fields[at % Math.max(1, fields.length)];
        const body =
          operation.body === null || at % 3 === 0
            ? json
            : field !== undefined && isRecord(good.body)
              ? { ...good.body, [field]: json }
              : json;
        return {
          path: spoilt !== undefined && !isQuery ? { ...good.path, [spoilt]: nasty } : good.path,
          query:
            spoilt !== undefined && isQuery
              ? { ...good.query, [spoilt]: nasty }
              : { ...good.query, [nasty.slice(0, 20)]: nasty },
          body,
        };
      });
  }

  function propertiesOf(schema: JsonSchema): Record<string, unknown> {
    const whole = typeof schema.$ref === 'string' ? resolve(schema.$ref) : schema;
    return isRecord(whole.properties) ? whole.properties : {};
  }

  function checkAnswer(operation: Operation, answer: Answer): void {
    const told = `${operation.operationId}: ${answer.status} ${answer.text.slice(0, 500)}`;
    expect(answer.status, told).not.toBe(500);
    const documented = operation.responses[`${answer.status}`] ?? operation.responses[`${`${answer.status}`[0]}XX`];
    expect(documented, told).toBeDefined();
    const { content = {} } = (
      documented!.$ref === undefined ? documented : resolve(documented!.$ref)
    ) as Operation['responses'][string];
    const type = `${answer.headers['content-type'] ?? ''}`.split(';')[0]!;
    if (Object.keys(content).length === 0) {
      expect(answer.text, told).toBe('');
      return;
    }
    const form = content[type] ?? content['*/*'];
    expect(form, `${told}: ${type} is not documented`).toBeDefined();
    if (form!.schema) expect(findMisfits(form!.schema, answer.json(), resolve), told).toEqual([]);
    if (answer.status >= 300 || type !== 'application/json') return;
    remember(answer.json(), collectionOf(operation.path));
  }

  function remember(value: unknown, collection: string, name = ''): void {
    if (Array.isArray(value)) for (const each of value.slice(0, 100)) remember(each, collection, name);
    else if (isRecord(value)) for (const [key, each] of Object.entries(value)) remember(each, collection, key);
    else if (typeof value === 'string' && (name === 'id' || name === 'agent') && value.length < 50) {
      const key = name === 'agent' ? name : collection;
      const known = seen.get(key) ?? new Set();
      if (known.size < 200) seen.set(key, known.add(value));
    }
  }

  async function attempt(operation: Operation, input: Input): Promise<void> {
    const hasBody = operation.body !== null && input.body !== undefined;
    const json = operation.body === 'raw' ? {} : { 'content-type': 'application/json' };
    const body = typeof input.body === 'string' && operation.body === 'raw' ? input.body : JSON.stringify(input.body);
    const answer = await ask(addressOf(operation, input), {
      method: operation.method,
      ...(hasBody ? { body, headers: json } : {}),
    });
    checkAnswer(operation, answer);
    if (answer.status < 400) wentWell.add(operation.operationId);
  }

  async function walk({ runs, rounds, leaveOut = [] }: Parameters<Fuzzer['walk']>[0]): Promise<void> {
    // What takes things away comes last, so that the others find something.
    const order = operations
      .filter(({ operationId }) => !leaveOut.includes(operationId))
      .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
    for (let round = 0; round < rounds; round += 1) {
      for (const operation of order) {
        const numRuns = Math.ceil(runs / rounds);
        await attempt(operation, leastInput(operation));
        for (const input of [goodInput(operation), badInput(operation)])
          await fc.assert(
            fc.asyncProperty(input, (each) => attempt(operation, each)),
            { numRuns },
          );
      }
    }
  }

  return { operations, resolve, wentWell, goodInput, checkAnswer, walk };
}

function readOperations(document: Record<string, unknown>): Operation[] {
  const paths = document.paths as Record<string, Record<string, Record<string, unknown>>>;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const content = (operation.requestBody as { content: Record<string, { schema?: JsonSchema }> } | undefined)
        ?.content;
      return {
        operationId: `${operation.operationId}`,
        method: method.toUpperCase(),
        path,
        parameters: (operation.parameters ?? []) as Operation['parameters'],
        body: content ? (content['application/json']?.schema ?? 'raw') : null,
        responses: operation.responses as Operation['responses'],
      };
    }),
  );
}

export function addressOf({ path }: Operation, input: Input): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encode(input.path[name] ?? ''));
  const query = Object.entries(input.query).map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
}

const encode = (text: string) => encodeURIComponent(text.toWellFormed());

/** The place whose members an answer shows: that of a list, or of one of it. */
function collectionOf(path: string): string {
  return path.replace(/\/\{\w+\}$/, '');
}
