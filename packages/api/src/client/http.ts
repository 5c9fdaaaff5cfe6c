import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ApiError, errorFromResponse, isProblem } from './api-error.ts';

/** Address and token of the daemon. */
export interface Address {
  /** `http://127.0.0.1:4180`. */
  url: string;
  token?: string;
}

/** Finds the daemon. `again`: the previous address does not respond. */
export type Locate = (again: boolean) => Promise<Address>;

export interface Call {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path after `/api/v1`. */
  path: string;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as is, instead of `body`. */
  raw?: { content: Readable | Uint8Array; mimeType: string };
  accept?: string;
  signal?: AbortSignal;
  /** Timeout of the whole response; 0: none. */
  timeoutMs?: number;
}

export interface Http {
  /** The parsed response; undefined without content. */
  json<Answer>(call: Call): Promise<Answer>;
  text(call: Call): Promise<string>;
  /** The response after its headers; the caller reads or destroys it. */
  open(call: Call): Promise<IncomingMessage>;
  close(): void;
}

const TIMEOUT_MS = 30_000;
/** Maximum size of a buffered response. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const BASE = '/api/v1';
/** Errors that show that the request was not received. */
const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EADDRNOTAVAIL',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Loaded on the first call: a program may import the client without using it. */
const http = () => process.getBuiltinModule('node:http');

export function createHttp(locate: Locate): Http {
  let agent: Agent | undefined;
  let address: Promise<Address> | undefined;
  let isLost = false;

  function find(): Promise<Address> {
    if (address) return address;
    const looking = locate(isLost);
    address = looking;
    looking.then(
      () => {
        isLost = false;
      },
      // Not found, which does not mean that it is gone.
      () => {
        if (address === looking) address = undefined;
      },
    );
    return looking;
  }

  function forget(old: Promise<Address>): void {
    if (address !== old) return;
    address = undefined;
    isLost = true;
  }

  async function open(call: Call): Promise<IncomingMessage> {
    const at = find();
    try {
      return await openAt(at, call);
    } catch (error) {
      if (!isUnsent(error) || call.raw || !(await hasMoved(at))) throw error;
      return openAt(find(), call);
    }
  }

  /** A restarted daemon may listen on another address. */
  async function hasMoved(before: Promise<Address>): Promise<boolean> {
    try {
      return (await find()).url !== (await before).url;
    } catch {
      return false;
    }
  }

  async function openAt(at: Promise<Address>, call: Call): Promise<IncomingMessage> {
    const { url, token } = await at;
    try {
      // Non-idempotent calls get a new connection: on a reused one that breaks, it is unknown what was received.
      agent ??= new (http().Agent)({ keepAlive: true, maxFreeSockets: 4 });
      const answer = await exchange(url, token, call, (call.method ?? 'GET') === 'GET' ? agent : undefined);
      if (isSuccess(answer)) return answer;
      throw errorFromResponse(answer.statusCode ?? 0, await readText(answer), describe(call));
    } catch (error) {
      // Another daemon may be running by now, at another address or with another token.
      if (isProblem(error, 'UNREACHABLE', 'NO_ANSWER', 'UNAUTHORIZED')) forget(at);
      throw error;
    }
  }

  async function text(call: Call): Promise<string> {
    const timeoutMs = call.timeoutMs ?? TIMEOUT_MS;
    const limit = timeoutMs > 0 ? AbortSignal.timeout(timeoutMs) : undefined;
    const signals = [call.signal, limit].filter((signal) => signal !== undefined);
    try {
      return await readText(await open({ ...call, signal: AbortSignal.any(signals) }));
    } catch (error) {
      if (!limit?.aborted || call.signal?.aborted) throw error;
      throw new ApiError('TIMEOUT', 'NO_ANSWER', `${describe(call)}: no response within ${timeoutMs} ms`, {
        retryable: true,
        cause: error,
      });
    }
  }

  return {
    open,
    text,
    async json<Answer>(call: Call): Promise<Answer> {
      const content = await text(call);
      return content === '' ? (undefined as Answer) : JSON.parse(content);
    },
    close: () => agent?.destroy(),
  };
}

function isUnsent(error: unknown): boolean {
  return isProblem(error, 'UNREACHABLE') && !error.sent;
}

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

function exchange(url: string, token: string | undefined, call: Call, agent: Agent | undefined) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { method = 'GET', raw, body, accept = 'application/json', signal } = call;
  const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const request: ClientRequest = http().request(targetOf(url, call), {
    method,
    agent: agent ?? false,
    signal,
    headers: {
      accept,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(raw ? { 'content-type': raw.mimeType } : {}),
      ...(content ? { 'content-type': 'application/json', 'content-length': content.length } : {}),
    },
  });
  let isAnswered = false;
  request.on('response', (response) => {
    isAnswered = true;
    resolve(response);
  });
  request.on('error', (error: NodeJS.ErrnoException) => {
    if (isAnswered) return;
    // The reused connection was closed meanwhile. Only idempotent calls use one.
    if (request.reusedSocket && error.code === 'ECONNRESET') resolve(exchange(url, token, call, undefined));
    else reject(signal?.aborted ? abortOf(call, error) : unreachable(url, call, error));
  });
  if (raw && !(raw.content instanceof Uint8Array)) {
    raw.content.on('error', (cause) => {
      reject(
        new ApiError('VALIDATION_ERROR', 'UNREADABLE', `cannot read the request content: ${cause.message}`, {
          cause,
        }),
      );
      request.destroy();
    });
    raw.content.pipe(request);
  } else request.end(raw?.content ?? content);
  return promise;
}

function targetOf(url: string, { path, query = {} }: Call): URL {
  const target = new URL(`${BASE}${path}`, url);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) target.searchParams.set(name, String(value));
  return target;
}

function unreachable(url: string, call: Call, cause: NodeJS.ErrnoException): ApiError {
  return new ApiError('NETWORK_ERROR', 'UNREACHABLE', `${describe(call)}: cannot reach ${url} (${cause.message})`, {
    hint: 'run "amux status" to check the daemon, "amux up" to start it',
    retryable: true,
    sent: !UNSENT.has(cause.code ?? ''),
    cause,
  });
}

function abortOf(call: Call, cause: unknown): ApiError {
  return new ApiError('ABORTED', 'ABORTED', `${describe(call)} was aborted`, { cause });
}

function describe({ method = 'GET', path }: Call): string {
  return `${method} ${path}`;
}

async function readText(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of answer) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > MAX_ANSWER_BYTES) throw new Error(`more than ${MAX_ANSWER_BYTES} bytes`);
    }
  } catch (cause) {
    throw new ApiError('NETWORK_ERROR', 'NO_ANSWER', `the response of the daemon was truncated (${String(cause)})`, {
      retryable: true,
      cause,
    });
  }
  return Buffer.concat(pieces).toString('utf8');
}
