import { DaemonError } from '../../daemon-error.ts';
import type { Who } from '../../service.ts';
import type { Browsers } from './browsers.ts';
import { isSameSecret } from './secrets.ts';

export interface Identity {
  who: Who;
  /** Where it is a browser. */
  browserId: string | null;
}

export interface Credentials {
  token: string;
  browsers: Browsers;
}

/**
 * Throws UNAUTHORIZED, the same for whatever is missing or wrong. There is no cookie: a browser sends cookies to every port of a
 * host. A browser shows `ID.SIGNATURE`, made with a key that only pages of this origin can use.
 */
export async function identify(request: Request, known: Credentials): Promise<Identity> {
  const given = /^Bearer +([^\s]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (given === undefined) throw unauthorized();
  if (isSameSecret(given, known.token)) return { who: 'token', browserId: null };
  // Only under the name that login links have: another process could listen on [::1], and "localhost" may lead there.
  const { origin, hostname } = new URL(request.url);
  const id = hostname === '127.0.0.1' ? await known.browsers.recognize(given, origin) : null;
  if (id === null) throw unauthorized();
  // A browser names its origin in such a request; the guard has compared it.
  if (!isSafe(request.method) && request.headers.get('origin') === null) {
    throw new DaemonError('FORBIDDEN', 'a browser must send its origin when it changes something');
  }
  return { who: `browser:${id}`, browserId: id };
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function unauthorized(): DaemonError {
  return new DaemonError('UNAUTHORIZED', 'the token is missing or wrong', {
    hint: 'send Authorization: Bearer with the content of the daemon\'s token file, or sign the browser in with "amux open"',
  });
}
