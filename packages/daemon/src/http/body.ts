import { DaemonError } from '../daemon-error.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Yields the body in chunks. Throws if it exceeds the limit. */
export async function* readBytes(request: Request, limit: number): AsyncGenerator<Uint8Array> {
  assertLength(request.headers.get('content-length'), limit);
  if (!request.body) return;
  let bytes = 0;
  const reader = request.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new DaemonError('BAD_REQUEST', 'the request body is incomplete');
      });
      if (done) return;
      bytes += value.byteLength;
      if (bytes > limit) throw tooLarge(limit);
      yield value;
    }
  } finally {
    reader.releaseLock();
  }
}

/** Undefined without a body. */
export async function readJson(request: Request, limits: { bytes: number; depth: number }): Promise<unknown> {
  const parts: Uint8Array[] = [];
  for await (const part of readBytes(request, limits.bytes)) parts.push(part);
  if (parts.length === 0) return undefined;
  assertJson(request.headers.get('content-type'));
  const text = decode(Buffer.concat(parts));
  if (isTooDeep(text, limits.depth)) {
    throw new DaemonError('BAD_REQUEST', `the request body is nested deeper than ${limits.depth} levels`);
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new DaemonError('BAD_REQUEST', 'the request body is not valid JSON');
  }
}

/** Another site can send forms and plain text without a CORS preflight. */
function assertJson(contentType: string | null): void {
  if (/^application\/json\s*(?:;|$)/i.test(contentType ?? '')) return;
  throw new DaemonError('UNSUPPORTED_MEDIA_TYPE', `unsupported content type: ${contentType ?? 'none'}; expected JSON`, {
    hint: 'set the header "Content-Type: application/json"',
  });
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DaemonError('BAD_REQUEST', 'the request body is not valid UTF-8');
  }
}

function assertLength(declared: string | null, limit: number): void {
  if (declared !== null && Number(declared) > limit) throw tooLarge(limit);
}

function tooLarge(limit: number): DaemonError {
  return new DaemonError('PAYLOAD_TOO_LARGE', `the request body exceeds ${limit} bytes`);
}

/** O(length), without recursion: parsing may recurse for each level. */
function isTooDeep(text: string, limit: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

function endOfString(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return text.length;
}
