import * as schemas from '@agent-mux/api/schemas';
import { type Reply, ROUTES, type Route } from '@agent-mux/api/schemas';
import { isRecord } from '@agent-mux/core';
import { z } from 'zod';
import { PROBLEM_TYPE } from './problems.ts';

type Json = Record<string, unknown>;

const SCHEMAS = '#/components/schemas/';
/** Suffix of schema names in the code, removed in the document. */
const SUFFIX = /Schema$/;
/** Schemas that are inlined. */
const INLINED = new Set([
  'Time',
  'Id',
  'MessageId',
  'Path',
  'Cursor',
  'Limit',
  'Flag',
  'AgentName',
  'FileName',
  'InnerPath',
  'NativeId',
]);

/** The OpenAPI document, generated from the route table that the server validates with. */
export function createOpenApi(version: string): Json {
  const components: Json = {};
  const describe = describer(components);
  const paths: Record<string, Json> = {};
  for (const [operationId, route] of Object.entries<Route>(ROUTES)) {
    paths[route.path] = { ...paths[route.path], [route.method]: operationOf(operationId, route, describe) };
  }
  describe(schemas.ProblemSchema);
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'agent-mux',
      version,
      description:
        'Coding-agent sessions of one machine: start and control them, answer their requests, read their events.',
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { browser: [] }],
    tags: [...new Set(Object.values<Route>(ROUTES).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: "The content of the daemon's token file." },
        browser: {
          type: 'http',
          scheme: 'bearer',
          description:
            'Credential of a signed-in browser: `ID.SIGNATURE`, signed over "agent-mux browser", the origin and the nonce of www-authenticate, each on its own line.',
        },
      },
      responses: {
        Problem: {
          description: 'The request was refused or failed. `code` is stable; `hint` says what to do.',
          content: { [PROBLEM_TYPE]: { schema: { $ref: `${SCHEMAS}Problem` } } },
        },
      },
    },
  };
}

type Describe = (schema: z.ZodType) => Json;

function operationOf(operationId: string, route: Route, describe: Describe): Json {
  const { method, summary, tag, params, query, body, bodyOptional, bodyLimit } = route;
  const parameters = [...parametersOf('path', params, describe), ...parametersOf('query', query, describe)];
  return {
    operationId,
    summary,
    tags: [tag],
    ...(route.open ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: !bodyOptional,
            content:
              body === 'raw' ? { 'application/octet-stream': {} } : { 'application/json': { schema: describe(body) } },
          },
          'x-body-limit': bodyLimit ?? schemas.DEFAULT_BODY_LIMIT,
        }),
    responses: {
      [route.reply.status]: { description: route.reply.description, ...contentOf(method, route, describe) },
      '4XX': { $ref: '#/components/responses/Problem' },
      '5XX': { $ref: '#/components/responses/Problem' },
    },
  };
}

function contentOf(method: Route['method'], { reply, stream }: Route, describe: Describe): Json {
  const content = {
    ...replyContent(reply, describe),
    ...(stream && method === 'get' ? { 'text/event-stream': { itemSchema: describe(stream) } } : {}),
  };
  return Object.keys(content).length > 0 ? { content } : {};
}

function replyContent({ schema, mimeType }: Reply, describe: Describe): Json {
  if (schema) return { 'application/json': { schema: describe(schema) } };
  return mimeType === undefined ? {} : { [mimeType]: {} };
}

function parametersOf(location: 'path' | 'query', object: z.ZodObject | undefined, describe: Describe): Json[] {
  return Object.entries<z.ZodType>(object?.shape ?? {}).map(([name, schema]) => {
    const { description, ...rest } = describe(schema);
    return {
      name,
      in: location,
      required: location === 'path' || !schema.safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

/** Named schemas are written once, as components. */
function describer(components: Json): Describe {
  const names = z.registry<{ id: string }>();
  for (const [name, value] of Object.entries(schemas)) {
    const id = name.replace(SUFFIX, '');
    if (value instanceof z.ZodType && SUFFIX.test(name) && !INLINED.has(id)) names.add(value, { id });
  }
  const refer = (text: string): Json => JSON.parse(text.replaceAll('"#/$defs/', `"${SCHEMAS}`));
  return (schema) => {
    const generated = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io: 'input',
      metadata: names,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const { description, format } = z.globalRegistry.get(zodSchema) ?? {};
        if (description !== undefined) jsonSchema.description = description;
        if (typeof format === 'string') jsonSchema.format = format;
        delete jsonSchema.id;
      },
    });
    const { $schema: _, $defs, ...rest } = refer(JSON.stringify(generated));
    Object.assign(components, $defs);
    const own = names.get(schema)?.id;
    if (own === undefined) return rest;
    if (!isRecord($defs) || !(own in $defs)) components[own] = rest;
    return { $ref: `${SCHEMAS}${own}` };
  };
}
