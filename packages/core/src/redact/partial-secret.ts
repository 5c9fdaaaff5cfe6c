import { isSecretName } from './redact.ts';

/** Maximum number of trailing characters to inspect. */
const WINDOW = 4096;
/** Prefixes of keys with known shapes. Each is followed by letters, digits and a few symbols. */
const PREFIXES = [
  ...['sk-', 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'glpat-', 'AIza', 'ya29.', 'xox', 'xapp-'],
  ...['AKIA', 'ASIA', 'npm_', 'hf_', 'gsk_', 'xai-', 'pplx-', 'r8_', 'eyJ'],
];
const KEY = new RegExp(
  `(?<![A-Za-z0-9_])(?:(?:${PREFIXES.map(escapePattern).join('|')})[A-Za-z0-9_.-]*|${properPrefixes()})$`,
);
const KEY_LETTER = /[A-Za-z0-9_.-]/;
const PRIVATE_KEY = '-----BEGIN ';
const PRIVATE_KEY_END = /-----END [A-Z ]*PRIVATE KEY-----/;
const OPEN_PRIVATE_KEY = /^-----BEGIN [A-Z ]*(?:-{0,4}$|P[A-Z ]*-{0,4}$|PRIVATE KEY-----)/;
const CREDENTIALS = /\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]*)$/i;
const URL_PASSWORD = /(?<=[a-z0-9+.-]):\/\/[^\s/:@]{0,128}:([^\s/@]{0,256})$/i;
/** The assignments that `redactSecrets` recognizes, up to the value. */
const ASSIGNMENT = /(?<![\w-])["']?(-{0,2}[A-Za-z][\w-]{0,127})["']?(?:\s{0,4}[=:]\s{0,4}|(?<=--[\w-]{1,127})\s{1,4})/g;
/** A quoted value without its closing quote. */
const OPEN_QUOTED = /"(?:[^"\\\n]|\\.)*\\?$|'[^'\n]*$/y;
const VALUE_LETTER = /[^\s"',;&}\]]/;

/**
 * Index at which the end of a text may become part of a secret when more text arrives; null if it cannot. Equals the
 * length of the text if a value would start right after it. The redaction of the text before that index does not depend
 * on what follows.
 */
export function findPartialSecret(text: string): number | null {
  const skipped = Math.max(0, text.length - WINDOW);
  const tail = skipped === 0 ? text : text.slice(skipped);
  const starts = [keyStart(tail), ...(mayEndWithValue(tail) ? valueStarts(tail) : [])]
    .filter((start) => start !== undefined)
    .map((start) => skipped + start);
  const privateKey = privateKeyStart(text);
  if (privateKey !== undefined) starts.push(privateKey);
  return starts.length === 0 ? null : Math.min(...starts);
}

function keyStart(tail: string): number | undefined {
  let from = tail.length;
  while (from > 0 && KEY_LETTER.test(tail.charAt(from - 1))) from -= 1;
  if (from === tail.length) return undefined;
  const found = KEY.exec(from === 0 ? tail : tail.slice(from));
  return found ? from + found.index : undefined;
}

/** A cheap check that rules out most texts, since it runs for every piece of an answer: inspects only the end. */
function mayEndWithValue(tail: string): boolean {
  if (/[=:]|--|bearer|basic/i.test(lastWords(tail))) return true;
  const quote = Math.max(tail.lastIndexOf('"'), tail.lastIndexOf("'"));
  return quote > 0 && /[=:\\]\s{0,4}$/.test(tail.slice(Math.max(0, quote - 5), quote));
}

/** The last two words with surrounding whitespace. */
function lastWords(tail: string): string {
  let at = tail.length;
  for (let words = 0; words < 2; words += 1) {
    while (at > 0 && isBlank(tail.charCodeAt(at - 1))) at -= 1;
    while (at > 0 && !isBlank(tail.charCodeAt(at - 1))) at -= 1;
  }
  return tail.slice(at);
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function valueStarts(tail: string): (number | undefined)[] {
  return [valueStart(CREDENTIALS.exec(tail)), valueStart(URL_PASSWORD.exec(tail)), assignedValue(tail)];
}

function privateKeyStart(text: string): number | undefined {
  const start = text.lastIndexOf(PRIVATE_KEY);
  if (start === -1) {
    const header = /-{1,5}$|-----(?:BE?G?I?N?)$/.exec(text.slice(-PRIVATE_KEY.length));
    return header ? text.length - header[0].length : undefined;
  }
  const open = text.slice(start);
  return OPEN_PRIVATE_KEY.test(open) && !PRIVATE_KEY_END.test(open) ? start : undefined;
}

function valueStart(found: RegExpExecArray | null): number | undefined {
  return found ? found.index + found[0].length - (found[1]?.length ?? 0) : undefined;
}

function assignedValue(tail: string): number | undefined {
  let unquoted = tail.length;
  while (unquoted > 0 && VALUE_LETTER.test(tail.charAt(unquoted - 1))) unquoted -= 1;
  for (const { index, 0: assignment, 1: name = '' } of tail.matchAll(ASSIGNMENT)) {
    const start = index + assignment.length;
    if (isSecretName(name) && (start >= unquoted || isOpenQuoted(tail, start))) return start;
  }
  return undefined;
}

function isOpenQuoted(tail: string, start: number): boolean {
  OPEN_QUOTED.lastIndex = start;
  return OPEN_QUOTED.test(tail);
}

/** Every proper prefix of a key prefix, the longest first. */
function properPrefixes(): string {
  const all = new Set(
    PREFIXES.flatMap((prefix) => Array.from({ length: prefix.length - 1 }, (_, i) => prefix.slice(0, i + 1))),
  );
  return [...all]
    .sort((a, b) => b.length - a.length)
    .map(escapePattern)
    .join('|');
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
