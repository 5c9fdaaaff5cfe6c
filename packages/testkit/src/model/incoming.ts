import type { IncomingMessage } from 'node:http';

/** Bytes of one request body that are stored; a larger one is read to its end and refused with 413. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

const SECRET_HEADERS = new Set([
  'authorization',
  'proxy-authorization',
  'x-api-key',
  'x-goog-api-key',
  'api-key',
  'cookie',
]);
const REDACTED = '[redacted]';
/** A key that is not secret, and is shown where it was sent: a test sees which of several keys arrived. */
export const PUBLIC_KEY = 'public-key-of-a-test';

/** The body as text, or null when it is too large. Rejects when the client goes away in the middle of it. */
export async function readBody(incoming: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString('utf8');
}

export function redactHeaders(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    const text = [value].flat().join(', ');
    headers[name] = SECRET_HEADERS.has(name) && !text.endsWith(PUBLIC_KEY) ? REDACTED : text;
  }
  return headers;
}

/** Gemini clients may send their key in the query. */
export function redactPath(target: URL): string {
  return `${target.pathname}${target.search.replace(/([?&](?:key|api_key|access_token)=)[^&]*/g, `$1${REDACTED}`)}`;
}

/** The request target. Joined rather than resolved: a path of `//` would be taken for a host. */
export function targetOf(incoming: IncomingMessage): URL {
  const path = incoming.url?.startsWith('/') ? incoming.url : '/';
  return new URL(`http://127.0.0.1${path}`);
}
