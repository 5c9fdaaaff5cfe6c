export const REDACTED = '[redacted]';

/** Shorter values are not secrets, and redacting them would garble the text. */
const MIN_SECRET_LENGTH = 6;

/** Names of variables, fields and headers whose value is a secret. */
const SECRET_NAME = /key|token|secret|passw(?:or)?d|passphrase|credential|authorization/i;
/** Names of counters, not secrets. */
const COUNTER_NAME = /tokens\b|max|limit|count|budget/i;

/** Secrets with a known shape. The first group, if any, is kept. */
const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\bsk-[A-Za-z0-9_-]{8,}/g,
  /\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,})/g,
  /\bAIza[0-9A-Za-z_-]{30,}/g,
  /\bya29\.[0-9A-Za-z_-]{16,}/g,
  /\bx(?:ox[a-z]|app)-[A-Za-z0-9-]{8,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\b(?:npm_|hf_|gsk_|xai-|pplx-|r8_)[A-Za-z0-9]{20,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g,
  /\b((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}/gi,
  // The password of a URL.
  /((?<=[a-z0-9+.-]):\/\/[^\s/:@]{0,128}:)[^\s/@]{1,256}(?=@)/gi,
];

/** `NAME=value`, `name: value`, `"name": "value"` and `--name value`; `isSecretName` decides which names count. */
const ASSIGNMENT =
  /((?<![\w-])["']?(-{0,2}[A-Za-z][\w-]{0,127})(?![\w-])["']?(?:\s{0,4}[=:]\s{0,4}|(?<=--[\w-]{1,127})\s{1,4}))("(?:[^"\\\n]|\\.){0,65536}"|'[^'\n]{0,65536}'|[^\s"',;&}\]]{1,65536})/g;

/** Values that are not secrets: literals, an authentication scheme, or text that is already redacted. */
const HARMLESS_VALUE = /^["']?(?:true|false|null|undefined|none|bearer|basic|\{|\[redacted.*)?["']?$/i;

/** Redacts secrets: known shapes, values of secret names, and the values that are passed in. */
export function redactSecrets(text: string, values: readonly string[] = []): string {
  let clean = text;
  const known = values.filter((value) => value.length >= MIN_SECRET_LENGTH).sort((a, b) => b.length - a.length);
  for (const value of known) clean = clean.replaceAll(value, REDACTED);
  for (const shape of SHAPES) {
    clean = clean.replace(shape, (_, kept: unknown) => (typeof kept === 'string' ? kept : '') + REDACTED);
  }
  return clean.replace(ASSIGNMENT, (whole, head: string, name: string, value: string) => {
    if (!isSecretName(name) || HARMLESS_VALUE.test(value) || isProse(head, name, value)) return whole;
    const quote = /^["']/.test(value) ? value.charAt(0) : '';
    return `${head}${quote}${REDACTED}${quote}`;
  });
}

/** Whether a variable or field of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !COUNTER_NAME.test(name);
}

/** A sentence such as `unexpected token: foo`, which a crash report needs. */
function isProse(head: string, name: string, value: string): boolean {
  return /^(?:key|token)s?$/i.test(name) && /:\s+$/.test(head) && !/["']/.test(head + value);
}
