import { DaemonError } from '../../daemon-error.ts';
import type { Actor } from '../../service.ts';
import type { Browsers } from './browsers.ts';
import { isSameSecret } from './secrets.ts';

export interface Identity {
  actor: Actor;
  /** Set for a browser. */
  browserId: string | null;
}

export interface Credentials {
  token: string;
  browsers: Browsers;
}

/**
 * Throws the same UNAUTHORIZED error for missing and wrong credentials. Cookies are not used, since browsers send them
 * to every port of a host. A browser sends `ID.SIGNATURE`, made with a key that only pages of this origin can use.
 */
export async function identify(request: Request, known: Credentials): Promise<Identity> {
  const credential = /^Bearer +([^\s]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (credential === undefined) throw unauthorized();
  if (isSameSecret(credential, known.token)) return { actor: 'token', browserId: null };
  // Only for the host name of login links: another process could listen on [::1], to which "localhost" may resolve.
  const { origin, hostname } = new URL(request.url);
  const id = hostname === '127.0.0.1' ? await known.browsers.recognize(credential, origin) : null;
  if (id === null) throw unauthorized();
  // Browsers send an origin with such requests; the guard has checked it.
  if (!isSafe(request.method) && request.headers.get('origin') === null) {
    throw new DaemonError('FORBIDDEN', 'missing Origin header');
  }
  return { actor: `browser:${id}`, browserId: id };
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function unauthorized(): DaemonError {
  return new DaemonError('UNAUTHORIZED', 'the token is missing or wrong', {
    hint: 'send "Authorization: Bearer TOKEN" with the daemon\'s token, or run "amux open" to sign in the browser',
  });
}
