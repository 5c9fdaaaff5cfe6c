import type { IncomingMessage } from 'node:http';
import { DaemonError } from '../../daemon-error.ts';

/** Names that a secret is known to be given by in addresses, which end up in logs and histories. */
const SECRET_PARAMETERS = ['token', 'access_token', 'api_key', 'authorization'];

/**
 * Whoever calls must mean this daemon: a name that was bent to 127.0.0.1 (DNS rebinding) and a page of another site or port are
 * refused before anything else is looked at, whatever they show.
 */
export function guardRequest(incoming: IncomingMessage, path: string, isPage: boolean): void {
  const port = incoming.socket.localPort;
  const own = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  if (!incoming.url?.startsWith('/')) throw new DaemonError('BAD_REQUEST', 'the address must begin with a slash');
  const hosts = valuesOf(incoming, 'host');
  if (hosts.length !== 1 || !own.includes(hosts[0]!.toLowerCase())) {
    throw new DaemonError('FORBIDDEN', `this is not ${JSON.stringify(hosts.join(', '))}`, {
      hint: `use http://127.0.0.1:${port}`,
    });
  }
  const origins = valuesOf(incoming, 'origin');
  if (origins.length > 1 || (origins.length === 1 && origins[0] !== `http://${hosts[0]!.toLowerCase()}`)) {
    throw new DaemonError('FORBIDDEN', 'pages of other sites may not call the daemon');
  }
  guardSite(incoming, isPage);
  guardQuery(path, incoming.url);
}

/** Where the browser tells who asks, even one without an origin: a picture, a link, a script of another port. */
function guardSite(incoming: IncomingMessage, isPage: boolean): void {
  const site = incoming.headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  if (isPage && incoming.headers['sec-fetch-mode'] === 'navigate') return;
  throw new DaemonError('FORBIDDEN', 'pages of other sites may not call the daemon');
}

function guardQuery(path: string, url: string): void {
  const at = url.indexOf('?');
  if (at === -1) return;
  for (const name of new URLSearchParams(url.slice(at)).keys()) {
    if (!SECRET_PARAMETERS.includes(name.toLowerCase())) continue;
    throw new DaemonError('BAD_REQUEST', `${path}: a secret does not belong into an address ("${name}")`, {
      hint: 'send it as Authorization: Bearer TOKEN, and make a new one if this one was real',
    });
  }
}

function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.flatMap((header, at) =>
    at % 2 === 0 && header.toLowerCase() === name ? [rawHeaders[at + 1] ?? ''] : [],
  );
}
