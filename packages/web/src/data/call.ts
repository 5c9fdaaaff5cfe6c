import type { OperationId, OperationRequest, OperationResponse, Problem } from '@agent-mux/api/browser';
import { currentCredential, renewCredential } from './login.ts';

/** Injected by the build from the route table of the api package. */
declare const __ROUTES__: Readonly<Record<OperationId, { method: string; path: string }>>;

/** An error response of the daemon, or `UNREACHABLE`. `message` says what failed, `hint` what to do. */
export class CallError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly issues: Problem['issues'];

  constructor({ code, detail, hint, issues }: Pick<Problem, 'code' | 'detail' | 'hint' | 'issues'>) {
    super(detail);
    this.code = code;
    this.hint = hint;
    this.issues = issues;
  }
}

interface Parts {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
}

/** Calls a route by its name: `call('getSession', { params: { id } })`. Throws a CallError. */
export async function call<Op extends OperationId>(
  op: Op,
  ...[options, signal]: Record<never, never> extends OperationRequest<Op>
    ? [options?: OperationRequest<Op>, signal?: AbortSignal]
    : [options: OperationRequest<Op>, signal?: AbortSignal]
): Promise<OperationResponse<Op>> {
  const response = await request(op, options ?? {}, { signal });
  // The daemon validates its response against the schema of the route, and this page has the daemon's version.
  return (response.status === 204 ? undefined : await response.json()) as OperationResponse<Op>;
}

/** Calls a route that returns text instead of JSON: a file, a blob. */
export async function callText(op: OperationId, options: Parts, signal?: AbortSignal): Promise<string> {
  return (await request(op, options, { signal })).text();
}

/** Calls a route that returns binary data instead of JSON, such as an image. */
export async function callBlob(op: OperationId, options: Parts, signal?: AbortSignal): Promise<Blob> {
  return (await request(op, options, { signal })).blob();
}

/** Returns the raw response; for streams. */
export async function request(op: OperationId, options: Parts, { signal, accept }: Options = {}): Promise<Response> {
  const credential = await currentCredential();
  const response = await send(op, options, { signal, accept, credential });
  const isRenewed = response.status === 401 && (await renewCredential(credential, response));
  const last = isRenewed
    ? await send(op, options, { signal, accept, credential: await currentCredential() })
    : response;
  if (last.ok) return last;
  throw new CallError(await readProblem(last));
}

interface Options {
  signal?: AbortSignal | undefined;
  accept?: string | undefined;
}

function send(
  op: OperationId,
  { params = {}, query = {}, body }: Parts,
  { signal, accept, credential }: Options & { credential: string | undefined },
): Promise<Response> {
  const isRaw = body instanceof Blob;
  return fetch(urlOf(op, params, query), {
    method: __ROUTES__[op].method,
    signal: signal ?? null,
    headers: {
      accept: accept ?? 'application/json',
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
      ...(body === undefined || isRaw ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new CallError({
      code: 'UNREACHABLE',
      detail: 'the daemon cannot be reached',
      hint: 'run "amux up" to start it; nothing was lost',
    });
  });
}

function urlOf(
  op: OperationId,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  const path = __ROUTES__[op].path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  return search.size === 0 ? path : `${path}?${search}`;
}

async function readProblem(response: Response): Promise<Pick<Problem, 'code' | 'detail' | 'hint' | 'issues'>> {
  const unknown = { code: `HTTP_${response.status}`, detail: `the daemon answered ${response.status}` };
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body !== 'object' || body === null || !('code' in body) || !('detail' in body)) return unknown;
  const hint = 'hint' in body && typeof body.hint === 'string' ? body.hint : undefined;
  const issues = 'issues' in body && Array.isArray(body.issues) ? body.issues : undefined;
  return { code: String(body.code), detail: String(body.detail), hint, issues };
}
