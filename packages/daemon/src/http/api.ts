import { type OperationId, ROUTES, type Route } from '@agent-mux/api/schemas';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { DaemonError } from '../daemon-error.ts';
import { createBrowsers } from './access/browsers.ts';
import { type Connections, createConnections } from './access/connections.ts';
import { guardRequest } from './access/guard.ts';
import { createLoginCodes } from './access/login-codes.ts';
import { createLoginPages } from './access/login-pages.ts';
import { createAudit } from './audit.ts';
import type { Handlers } from './call.ts';
import { type DispatchContext, dispatch } from './dispatch.ts';
import { agentHandlers } from './handlers/agents.ts';
import { browserHandlers } from './handlers/browsers.ts';
import { daemonHandlers } from './handlers/daemon.ts';
import { eventHandlers } from './handlers/events.ts';
import { fileHandlers } from './handlers/files.ts';
import { historyHandlers } from './handlers/history.ts';
import { jobHandlers } from './handlers/jobs.ts';
import { limitHandlers } from './handlers/limits.ts';
import { notificationHandlers } from './handlers/notifications.ts';
import { policyHandlers } from './handlers/policy.ts';
import { requestHandlers } from './handlers/requests.ts';
import { scheduleHandlers } from './handlers/schedules.ts';
import { sessionHandlers } from './handlers/sessions.ts';
import { terminalHandlers } from './handlers/terminals.ts';
import { worktreeHandlers } from './handlers/worktrees.ts';
import { addSafetyHeaders } from './headers.ts';
import { type ApiLimits, DEFAULT_LIMITS } from './limits.ts';
import { createHttpCounts } from './metrics.ts';
import { PAGES, pageResponse } from './pages/pages.ts';
import type { ApiParts } from './parts.ts';
import { asDaemonError, problemResponse } from './problems.ts';
import { createStreams } from './streams.ts';

type App = Hono<{ Bindings: HttpBindings; Variables: { operation: string } }>;

export interface Api {
  app: App;
  limits: ApiLimits;
  connections: Connections;
  /** The response to an error, including requests that could not be parsed. */
  respondToError(error: unknown): Response;
  /** Ends the streams, so that the server can close. */
  endStreams(): void;
}

/** The HTTP API over a service and a store. */
export function createApi(parts: ApiParts): Api {
  const limits = { ...DEFAULT_LIMITS, ...parts.limits };
  const { store, clock, log, dashboard } = parts;
  const streams = createStreams(limits, log);
  const http = createHttpCounts();
  const audit = createAudit(store, clock);
  const browsers = createBrowsers(store, clock, limits.browserMs);
  const codes = createLoginCodes(clock, limits.loginCodeMs);
  const pages = createLoginPages(parts.paths.loginPages, limits.loginCodeMs);
  const handlers: Handlers = {
    ...agentHandlers(parts),
    ...sessionHandlers(parts),
    ...eventHandlers({ ...parts, streams, limits }),
    ...requestHandlers(parts),
    ...worktreeHandlers(parts),
    ...terminalHandlers({ ...parts, streams }),
    ...jobHandlers({ ...parts, audit }),
    ...limitHandlers(parts),
    ...policyHandlers({ ...parts, audit }),
    ...fileHandlers({ ...parts, limits }),
    ...historyHandlers(parts),
    ...scheduleHandlers(parts),
    ...notificationHandlers(parts),
    ...daemonHandlers({ ...parts, streams, http, audit, nonce: browsers.nonce }),
    ...browserHandlers({ audit, browsers, codes, streams, pages }),
  };
  const credentials = { token: parts.auth.token, browsers };
  const connections = createConnections(limits.connections);
  const dispatchContext: DispatchContext = { handlers, credentials, connections, jsonDepth: limits.jsonDepth };

  const respondToError = (error: unknown): Response => {
    const known = asDaemonError(error);
    if (!known) log('a request failed', error);
    else if (known.code === 'DISK_FULL' || known.code === 'STORAGE_ERROR')
      log(`a request was refused: ${known.message}`);
    return problemResponse(
      known,
      known?.code === 'UNAUTHORIZED'
        ? { 'www-authenticate': `Bearer realm="agent-mux", nonce="${browsers.nonce}"` }
        : {},
    );
  };

  const app: App = new Hono();
  app.use(async (context, next) => {
    const { path } = context.req;
    try {
      const isPage = PAGES.has(path) || dashboard?.holds(path, context.req.raw) === true;
      guardRequest(context.env.incoming, path, isPage);
      await next();
    } catch (error) {
      context.res = respondToError(error);
    }
    if (context.req.method === 'HEAD') await context.res.body?.cancel();
    addSafetyHeaders(context.res.headers);
    http.count(context.get('operation') ?? 'none', context.res.status);
  });
  app.onError(respondToError);
  for (const op of operationIds()) {
    const { method, path } = ROUTES[op];
    app.on(method.toUpperCase(), path.replace(/\{(\w+)\}/g, ':$1'), (context) => {
      context.set('operation', op);
      return dispatch(op, context, dispatchContext);
    });
  }
  app.get('*', async (context, next) => {
    if (!dashboard?.holds(context.req.path, context.req.raw)) return next();
    context.set('operation', 'page');
    // Browsers are signed in for one host name only.
    const { hostname, port, pathname, search } = new URL(context.req.url);
    if (hostname !== '127.0.0.1' && context.req.header('sec-fetch-mode') === 'navigate')
      return context.redirect(`http://127.0.0.1:${port}${pathname}${search}`, 307);
    return dashboard.respond(context.req.path, context.req.raw);
  });
  for (const [path, page] of PAGES) {
    app.get(path, (context) => {
      context.set('operation', 'page');
      return pageResponse(page);
    });
  }
  app.all('*', ({ req }) => respondUnrouted(req.method, req.path));
  return { app, limits, connections, respondToError, endStreams: () => streams.end() };
}

function operationIds(): OperationId[] {
  return Object.keys(ROUTES).filter((op): op is OperationId => op in ROUTES);
}

/** Responds 404 or 405, or to OPTIONS. Nothing is allowed for other origins. */
function respondUnrouted(method: string, path: string): Response {
  const methods = methodsOf(path);
  if (methods.length === 0)
    return problemResponse(new DaemonError('NOT_FOUND', `no route for ${path}`, { hint: 'see /docs' }));
  const allow = { allow: [...methods, 'OPTIONS'].join(', ') };
  if (method === 'OPTIONS') return new Response(null, { status: 204, headers: allow });
  return problemResponse(
    new DaemonError('METHOD_NOT_ALLOWED', `${method} is not allowed on ${path}`, { hint: `use ${allow.allow}` }),
    allow,
  );
}

function methodsOf(path: string): string[] {
  if (PAGES.has(path)) return ['GET', 'HEAD'];
  return Object.values<Route>(ROUTES)
    .filter((route) => patternOf(route.path).test(path))
    .flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
}
