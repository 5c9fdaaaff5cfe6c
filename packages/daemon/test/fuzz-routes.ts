/** Fuzzes every route with valid and invalid input, knowing only the URL of a daemon and its OpenAPI document. */
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
  /** Routes that answered successfully at least once. */
  succeeded: ReadonlySet<string>;
  goodInput(operation: Operation): fc.Arbitrary<Input>;
  checkAnswer(operation: Operation, answer: Answer): void;
  /**
   * Sends `runs` requests of each kind to each route, in rounds, so that later requests find what earlier ones created.
   */
  walk(options: { runs: number; rounds: number; leaveOut?: readonly string[] }): Promise<void>;
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
  /** Known ids by the path of their list, collected from answers. */
  const seen = new Map<string, Set<string>>();
  const succeeded = new Set<string>();

  function knownFor(path: string, name: string): string[] {
    return [...(seen.get(name === 'agent' ? name : path.slice(0, path.indexOf(`/{${name}}`))) ?? [])];
  }

  /** Prefers existing ids. */
  function pathValues(path: string, name: string, schema: JsonSchema): fc.Arbitrary<string> {
    const generated = valuesOf(schema, resolve).map(String);
    const known = knownFor(path, name);
    return known.length === 0
      ? generated
      : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: generated });
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

  /** Only required fields, with the newest existing ids. */
  function minimalInput(operation: Operation): Input {
    const [{ path, query, body }] = fc.sample(goodInput(operation), 1) as [Input];
    const required = operation.parameters.filter((parameter) => parameter.required).map(({ name }) => name);
    const newest = Object.entries(path).map(([name, generated]) => [
      name,
      knownFor(operation.path, name).at(-1) ?? generated,
    ]);
    return {
      path: Object.fromEntries(newest),
      query: Object.fromEntries(Object.entries(query).filter(([name]) => required.includes(name))),
      body: minimalBody(operation.body, body),
    };
  }

  function minimalBody(schema: Operation['body'], body: unknown): unknown {
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
        const replaced = names[at % Math.max(1, names.length)];
        const isQuery = operation.parameters.some(
          ({ name, in: location }) => name === replaced && location === 'query',
        );
        const field = fields[at % Math.max(1, fields.length)];
        const body =
          operation.body === null || at % 3 === 0
            ? json
            : field !== undefined && isRecord(good.body)
              ? { ...good.body, [field]: json }
              : json;
        return {
          path: replaced !== undefined && !isQuery ? { ...good.path, [replaced]: nasty } : good.path,
          query:
            replaced !== undefined && isQuery
              ? { ...good.query, [replaced]: nasty }
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
    const text = `${operation.operationId}: ${answer.status} ${answer.text.slice(0, 500)}`;
    expect(answer.status, text).not.toBe(500);
    const documented = operation.responses[`${answer.status}`] ?? operation.responses[`${`${answer.status}`[0]}XX`];
    expect(documented, text).toBeDefined();
    const { content = {} } = (
      documented!.$ref === undefined ? documented : resolve(documented!.$ref)
    ) as Operation['responses'][string];
    const type = `${answer.headers['content-type'] ?? ''}`.split(';')[0]!;
    if (Object.keys(content).length === 0) {
      expect(answer.text, text).toBe('');
      return;
    }
    const form = content[type] ?? content['*/*'];
    expect(form, `${text}: ${type} is not documented`).toBeDefined();
    if (form!.schema) expect(findMisfits(form!.schema, answer.json(), resolve), text).toEqual([]);
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
    if (answer.status < 400) succeeded.add(operation.operationId);
  }

  async function walk({ runs, rounds, leaveOut = [] }: Parameters<Fuzzer['walk']>[0]): Promise<void> {
    // Deletions come last, so that the other routes find something.
    const order = operations
      .filter(({ operationId }) => !leaveOut.includes(operationId))
      .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
    for (let round = 0; round < rounds; round += 1) {
      for (const operation of order) {
        const numRuns = Math.ceil(runs / rounds);
        await attempt(operation, minimalInput(operation));
        for (const input of [goodInput(operation), badInput(operation)])
          await fc.assert(
            fc.asyncProperty(input, (each) => attempt(operation, each)),
            { numRuns },
          );
      }
    }
  }

  return { operations, resolve, succeeded, goodInput, checkAnswer, walk };
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

/** Path of the collection that an answer belongs to. */
function collectionOf(path: string): string {
  return path.replace(/\/\{\w+\}$/, '');
}
