import { matchesWhole, matchesWithin, readStars } from '../star-pattern.ts';

/**
 * Whether the address is one of those that the pattern names: `example.com`, `*.example.com/docs/*`, `https://example.com/*`.
 * Host and path are looked at apart, so that no star reaches from the one into the other. One with a name or password in it,
 * or of another protocol, is never allowed.
 */
export function allowsUrl(pattern: string, said: string): boolean {
  // Programs disagree on what these mean.
  if (/[\\\s\p{Cc}]/u.test(said)) return false;
  const url = readUrl(said);
  if (url?.username !== '' || url.password !== '') return false;
  const { scheme, host, path } = splitPattern(pattern);
  if (scheme !== undefined && `${scheme}:` !== url.protocol) return false;
  const hosts = host.includes(':') ? url.host : url.port === '' ? url.hostname : undefined;
  if (hosts === undefined || !matchesWhole(readStars(host.toLowerCase()), hosts)) return false;
  return path === '' || path === '/' || matchesWhole(readStars(path), `${url.pathname}${url.search}`);
}

const WORD = /[\p{L}\p{N}_-]/u;

/** Whether the pattern fits anywhere in it: the name of a host covers all hosts below. */
export function deniesUrl(pattern: string, said: string): boolean {
  const { host, path } = splitPattern(pattern);
  const wanted = readStars(`${host}${path === '/' ? '' : path}`.toLowerCase());
  const url = readUrl(said);
  const texts = [said, ...(url ? [`${url.host}${url.pathname}${url.search}`, decode(url.href)] : [])];
  return texts.some((text) => matchesWithin(wanted, text.toLowerCase(), (character) => WORD.test(character)));
}

function readUrl(said: string): URL | undefined {
  const text = said.trim();
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
