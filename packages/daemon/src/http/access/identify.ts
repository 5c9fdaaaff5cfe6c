import { createHash } from 'node:crypto';
import { DaemonError } from '../../daemon-error.ts';
import type { Who } from '../../service.ts';
import type { Browsers } from './browsers.ts';
import { isSameSecret } from './secrets.ts';

export interface Identity {
  who: Who;
  /** Where it is a browser. */
  browserId: string | null;
}

/** Cookies know no ports: two daemons of one machine would else write over each other's. */
export function cookieNameOf(root: string): string {
  return `agent_mux_${createHash('sha256').update(root).digest('hex').slice(0, 12)}`;
}

export function cookieHeader(name: string, value: string, maxAgeMs: number): string {
  return `${name}=${value}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${Math.floor(maxAgeMs / 1000)}`;
}

export interface Credentials {
  token: string;
  cookieName: string;
  browsers: Browsers;
}

/** Throws UNAUTHORIZED, the same for whatever is missing or wrong. */
export async function identify(request: Request, known: Credentials): Promise<Identity> {
  const authorization = request.headers.get('authorization');
  if (authorization !== null) {
    const given = /^Bearer +([^\s]+)$/i.exec(authorization)?.[1];
    if (given === undefined || !isSameSecret(given, known.token)) throw unauthorized();
    return { who: 'token', browserId: null };
  }
  const cookie = readCookie(request.headers.get('cookie'), known.cookieName);
  const id = cookie === null ? null : await known.browsers.recognise(cookie);
  if (id === null) throw unauthorized();
  // A browser tells where such a request comes from; one that does not is none that the cookie was given to.
  if (!isSafe(request.method) && request.headers.get('origin') === null) {
    throw new DaemonError('FORBIDDEN', 'a browser must tell its origin when it changes something');
  }
  return { who: `browser:${id}`, browserId: id };
}

function readCookie(header: string | null, name: string): string | null {
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? values[0]! : null;
}

function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

function unauthorized(): DaemonError {
  return new DaemonError('UNAUTHORIZED', 'the token is missing or wrong', {
    hint: "send Authorization: Bearer with the content of the daemon's token file, or sign the browser in with a login link",
  });
}
