import { DEFAULT_BODY_LIMIT, type OperationId, ROUTES, type Route } from '@agent-mux/api/schemas';
import type { z } from 'zod';
import { DaemonError } from '../daemon-error.ts';
import type { Connections } from './access/connections.ts';
import { type Credentials, type Identity, identify } from './access/identify.ts';
import { readJson } from './body.ts';
import type { Call, Handlers, HttpContext } from './call.ts';
import { invalid } from './problems.ts';

export interface DispatchContext {
  handlers: Handlers;
  credentials: Credentials;
  connections: Connections;
  jsonDepth: number;
}

/** Identifies the caller, validates the request, runs the handler, and responds as the route specifies. */
export async function dispatch<Op extends OperationId>(
  op: Op,
  context: HttpContext,
  dispatchContext: DispatchContext,
): Promise<Response> {
  const route: Route = ROUTES[op];
  const request = context.req.raw;
  const identity: Identity = route.open
    ? { actor: 'anonymous', browserId: null }
    : await identify(request, dispatchContext.credentials);
  if (!route.open) dispatchContext.connections.admit(context.env.incoming.socket);
  const url = new URL(request.url);
  const parsed = {
    params: check(route.params, context.req.param()),
    query: check(route.query, readQuery(url.searchParams, route.query !== undefined)),
    body: await readBody(request, route, dispatchContext.jsonDepth),
  };
  // The values parsed by a route's schemas have that route's types, which cannot be expressed for a generic route.
  const call = { ...identity, ...parsed, request, context } as Call<Op>;
  return respond(route, await dispatchContext.handlers[op](call));
}

function check(schema: z.ZodType | undefined, options: unknown): unknown {
  if (!schema) return undefined;
  const { success, data, error } = schema.safeParse(options);
  if (!success) throw invalid(error);
  return data;
}

function readQuery(options: URLSearchParams, isKnown: boolean): Record<string, string> {
  const names = [...options.keys()];
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  const rejected = isKnown ? repeated : names[0];
  if (rejected !== undefined) {
    const problem = isKnown ? 'is repeated' : 'is unknown';
    throw new DaemonError('VALIDATION_ERROR', `${rejected}: ${problem}`, { issues: [{ field: rejected, problem }] });
  }
  return Object.fromEntries(options);
}

async function readBody(request: Request, route: Route, depth: number): Promise<unknown> {
  if (route.body === undefined || route.body === 'raw') return undefined;
  const options = await readJson(request, { bytes: route.bodyLimit ?? DEFAULT_BODY_LIMIT, depth });
  if (options === undefined && !route.bodyOptional) {
    throw new DaemonError('BAD_REQUEST', 'a JSON request body is required');
  }
  return check(route.body, options ?? {});
}

function respond({ reply }: Route, answer: unknown): Response {
  if (answer instanceof Response) return answer;
  if (!reply.schema) return new Response(null, { status: reply.status });
  return new Response(JSON.stringify(answer), {
    status: reply.status,
    headers: { 'content-type': 'application/json' },
  });
}
