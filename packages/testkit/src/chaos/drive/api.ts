/**
 * The HTTP API as any program would use it: chaos tests do not rely on the typed client, which is under test itself.
 */
export interface Address {
  url: string;
  token: string;
}

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const ANSWER_LIMIT_MS = 30_000;

export async function call<T>({ url, token }: Address, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
  });
  const text = await response.text();
  const value: unknown = text === '' ? undefined : JSON.parse(text);
  if (response.ok) return value as T;
  const { code = '', detail = text } = (value ?? {}) as { code?: string; detail?: string };
  throw new ApiError(response.status, code, `${method} ${path}: ${response.status} ${code} ${detail}`);
}

/** The daemon may be killed at any moment: idempotent requests are repeated until they are answered. */
export function isUnreachable(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status === 503;
}
