import type { IncomingMessage } from 'node:http';
import { DaemonError } from '../../daemon-error.ts';

/** Query parameters commonly used for secrets. URLs end up in logs and histories. */
const SECRET_PARAMETERS = ['token', 'access_token', 'api_key', 'authorization'];

/**
 * Refuses requests that are not meant for this daemon, before checking credentials: host names that resolve to
 * 127.0.0.1 (DNS rebinding) and pages of other sites or ports.
 */
export function guardRequest(incoming: IncomingMessage, path: string, isPage: boolean): void {
  const port = incoming.socket.localPort;
  const allowedHosts = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  if (!incoming.url?.startsWith('/')) throw new DaemonError('BAD_REQUEST', 'the URL must start with a slash');
  const hosts = valuesOf(incoming, 'host');
  if (hosts.length !== 1 || !allowedHosts.includes(hosts[0]!.toLowerCase())) {
    throw new DaemonError('FORBIDDEN', `unknown host ${JSON.stringify(hosts.join(', '))}`, {
      hint: `use http://127.0.0.1:${port}`,
    });
  }
  const origins = valuesOf(incoming, 'origin');
  if (origins.length > 1 || (origins.length === 1 && origins[0] !== `http://${hosts[0]!.toLowerCase()}`)) {
    throw new DaemonError('FORBIDDEN', 'cross-origin requests are not allowed');
  }
  guardSite(incoming, isPage);
  guardQuery(path, incoming.url);
}

/** Checks Sec-Fetch-Site, which browsers also send without an origin: for images, links and scripts of other ports. */
function guardSite(incoming: IncomingMessage, isPage: boolean): void {
  const site = incoming.headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  if (isPage && incoming.headers['sec-fetch-mode'] === 'navigate') return;
  throw new DaemonError('FORBIDDEN', 'cross-origin requests are not allowed');
}

function guardQuery(path: string, url: string): void {
  const at = url.indexOf('?');
  if (at === -1) return;
  for (const name of new URLSearchParams(url.slice(at)).keys()) {
    if (!SECRET_PARAMETERS.includes(name.toLowerCase())) continue;
    throw new DaemonError('BAD_REQUEST', `${path}: query parameter "${name}" looks like a secret`, {
      hint: 'send it as "Authorization: Bearer TOKEN", and rotate it if it was real',
    });
  }
}

function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.flatMap((header, at) =>
    at % 2 === 0 && header.toLowerCase() === name ? [rawHeaders[at + 1] ?? ''] : [],
  );
}
