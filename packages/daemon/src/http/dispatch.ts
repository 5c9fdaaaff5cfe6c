import { DEFAULT_BODY_LIMIT, type OperationId, ROUTES, type Route } from '@agent-mux/api/schemas';
import type { z } from 'zod';
import { DaemonError } from '../daemon-error.ts';
import type { Connections } from './access/connections.ts';
import { type Credentials, type Identity, identify } from './access/identify.ts';
import { readJson } from './body.ts';
import type { Call, Handlers, HttpContext } from './call.ts';
import { invalid } from './problems.ts';

export interface Door {
  handlers: Handlers;
  credentials: Credentials;
  connections: Connections;
  jsonDepth: number;
}

/** The way of a request: who is it, is it what the route takes, do it, answer as the route says. */
export async function dispatch<Op extends OperationId>(op: Op, context: HttpContext, door: Door): Promise<Response> {
  const route: Route = ROUTES[op];
  const request = context.req.raw;
  const identity: Identity = route.open
    ? { who: 'anybody', browserId: null }
    : await identify(request, door.credentials);
  if (!route.open) door.connections.admit(context.env.incoming.socket);
  const url = new URL(request.url);
  const parsed = {
    params: check(route.params, context.req.param()),
    query: check(route.query, readQuery(url.searchParams, route.query !== undefined)),
    body: await readBody(request, route, door.jsonDepth),
  };
  // What was parsed by the schemas of a route has the types of that route; no type can say so of any route.
  const call = { ...identity, ...parsed, request, context } as Call<Op>;
  return respond(route, await door.handlers[op](call));
}

function check(schema: z.ZodType | undefined, given: unknown): unknown {
  if (!schema) return undefined;
  const { success, data, error } = schema.safeParse(given);
  if (!success) throw invalid(error);
  return data;
}

function readQuery(given: URLSearchParams, isKnown: boolean): Record<string, string> {
  const names = [...given.keys()];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  const odd = isKnown ? twice : names[0];
  if (odd !== undefined) {
    const problem = isKnown ? 'is given twice' : 'is not known here';
    throw new DaemonError('VALIDATION_ERROR', `${odd}: ${problem}`, { issues: [{ field: odd, problem }] });
  }
  return Object.fromEntries(given);
}

async function readBody(request: Request, route: Route, depth: number): Promise<unknown> {
  if (route.body === undefined || route.body === 'raw') return undefined;
  const given = await readJson(request, { bytes: route.bodyLimit ?? DEFAULT_BODY_LIMIT, depth });
  if (given === undefined && !route.bodyOptional) {
    throw new DaemonError('BAD_REQUEST', 'a body of JSON is missing');
  }
  return check(route.body, given ?? {});
}

function respond({ reply }: Route, answer: unknown): Response {
  if (answer instanceof Response) return answer;
  if (!reply.schema) return new Response(null, { status: reply.status });
  return new Response(JSON.stringify(answer), {
    status: reply.status,
    headers: { 'content-type': 'application/json' },
  });
}
