import type { AnswerOf, CallOf, OperationId, Problem } from '@agent-mux/api/browser';
import { currentCredential, renewCredential } from './login.ts';

/** Put in by the build, from the table of routes of the api package. */
declare const __ROUTES__: Readonly<Record<OperationId, { method: string; path: string }>>;

/** What the daemon refused, or that it could not be asked (`UNREACHABLE`). `message` says what, `hint` what to do. */
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
  ...[given, signal]: Record<never, never> extends CallOf<Op>
    ? [given?: CallOf<Op>, signal?: AbortSignal]
    : [given: CallOf<Op>, signal?: AbortSignal]
): Promise<AnswerOf<Op>> {
  const response = await request(op, given ?? {}, { signal });
  // The daemon has checked what it answers against the schema of the route; this page is of the same version.
  return (response.status === 204 ? undefined : await response.json()) as AnswerOf<Op>;
}

/** The text of a route that answers no JSON: a file, a blob. */
export async function callText(op: OperationId, given: Parts, signal?: AbortSignal): Promise<string> {
  return (await request(op, given, { signal })).text();
}

/** What a route that answers no JSON answers with: a picture. */
export async function callBlob(op: OperationId, given: Parts, signal?: AbortSignal): Promise<Blob> {
  return (await request(op, given, { signal })).blob();
}

/** The response as it is; for streams. */
export async function request(op: OperationId, given: Parts, { signal, accept }: Options = {}): Promise<Response> {
  const credential = await currentCredential();
  const response = await send(op, given, { signal, accept, credential });
  const isRenewed = response.status === 401 && (await renewCredential(credential, response));
  const last = isRenewed ? await send(op, given, { signal, accept, credential: await currentCredential() }) : response;
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
  return fetch(addressOf(op, params, query), {
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
      hint: 'amux up starts it; nothing was lost',
    });
  });
}

function addressOf(
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
