import { AgentMuxError } from '../../contract/errors.ts';
import { MAX_LINE_BYTES } from '../../process/lines.ts';

/** Maximum size of a response that is buffered as a whole, after decompression. */
export const MAX_BODY_BYTES: number = MAX_LINE_BYTES;
/** Maximum number of redirects within one origin. */
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * A fetch that reaches the intended server or none. Requests carry credentials and the prompt, so a redirect to another
 * origin is refused; one within the same origin (scheme, host and port) is followed as browsers do.
 */
export async function fetchFrom(url: string, init: RequestInit): Promise<Response> {
  let at = new URL(url);
  let request = init;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await fetch(at, { ...request, redirect: 'manual' });
    const location = REDIRECTS.has(answer.status) ? answer.headers.get('location') : null;
    if (location === null) return answer;
    await answer.body?.cancel();
    const to = URL.parse(location, at.href);
    if (to?.origin !== at.origin) {
      const where = to === null || to.origin === 'null' ? location.slice(0, 200) : to.origin;
      throw new AgentMuxError('NETWORK_ERROR', `${at.origin} redirects to another origin: ${where}`, {
        hint: `nothing was sent there; if you trust it, configure it instead of ${at.origin}`,
      });
    }
    if (answer.status === 303 || (answer.status < 303 && request.method === 'POST')) {
      const { body: _, ...rest } = request;
      request = { ...rest, method: 'GET' };
    }
    at = to;
  }
  throw new AgentMuxError('NETWORK_ERROR', `${at.origin} redirects more than ${MAX_REDIRECTS} times`);
}

export function tooLong(what: string): AgentMuxError {
  return new AgentMuxError('NETWORK_ERROR', `${what} is longer than ${MAX_BODY_BYTES} bytes`);
}
