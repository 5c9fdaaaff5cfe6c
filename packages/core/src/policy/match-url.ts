import { matchesWhole, matchesWithin, parseWildcard } from '../wildcard.ts';

/**
 * Whether the pattern covers the URL: `example.com`, `*.example.com/docs/*`, `https://example.com/*`. Host and path are
 * matched separately, so that no star spans both. A URL with credentials or another protocol is never allowed.
 */
export function allowsUrl(pattern: string, raw: string): boolean {
  // Programs disagree on the meaning of these.
  if (/[\\\s\p{Cc}]/u.test(raw)) return false;
  const url = readUrl(raw);
  if (url?.username !== '' || url.password !== '') return false;
  const { scheme, host, path } = splitPattern(pattern);
  if (scheme !== undefined && `${scheme}:` !== url.protocol) return false;
  const hosts = host.includes(':') ? url.host : url.port === '' ? url.hostname : undefined;
  if (hosts === undefined || !matchesWhole(parseWildcard(host.toLowerCase()), hosts)) return false;
  return path === '' || path === '/' || matchesWhole(parseWildcard(path), `${url.pathname}${url.search}`);
}

const WORD = /[\p{L}\p{N}_-]/u;

/** Whether the pattern matches anywhere in it: a host name covers all its subdomains. */
export function deniesUrl(pattern: string, raw: string): boolean {
  const { host, path } = splitPattern(pattern);
  const wanted = parseWildcard(`${host}${path === '/' ? '' : path}`.toLowerCase());
  const url = readUrl(raw);
  const texts = [raw, ...(url ? [`${url.host}${url.pathname}${url.search}`, decode(url.href)] : [])];
  return texts.some((text) => matchesWithin(wanted, text.toLowerCase(), (character) => WORD.test(character)));
}

function readUrl(raw: string): URL | undefined {
  const text = raw.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url : undefined;
}

function splitPattern(pattern: string): { scheme: string | undefined; host: string; path: string } {
  const [, scheme, rest = ''] = /^(?:(https?):\/\/)?([\s\S]*)$/i.exec(pattern) ?? [];
  const slash = rest.indexOf('/');
  return {
    scheme: scheme?.toLowerCase(),
    host: slash < 0 ? rest : rest.slice(0, slash),
    path: slash < 0 ? '' : rest.slice(slash),
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
