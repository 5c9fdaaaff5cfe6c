import type { AgentConfigSchema } from '../contract/auth-and-config.ts';
import type { McpServer } from '../contract/options.ts';
import { isSecretName, REDACTED, redactSecrets } from '../redact/redact.ts';
import { isPlainObject } from './changes.ts';
import type { NativePath } from './codecs.ts';
import { startsWith } from './native-path.ts';

/** Replaces a secret; a value that contains it is never written to a file. */
export const SECRET_MASK = '********';

/** Objects with these names map names to values that are often secrets. */
const SECRET_HOLDERS = /^(?:env|envs|environment|headers|http_?headers|requestInit)$/i;

/** The value at a path, without its secrets: by the schema, by names of secrets, and by known formats. */
export function maskAt(schema: AgentConfigSchema, path: NativePath, value: unknown): unknown {
  const secrets = schema.fields
    .filter((field) => field.secret)
    .map((field) => (field.nativePath ?? field.name).split('.'));
  const mask = (at: NativePath, inner: unknown): unknown => {
    const last = at.at(-1);
    const isSecret = secrets.some((secret) => startsWith(at, secret)) || at.some(isHolder);
    if (isSecret || (typeof last === 'string' && isSecretName(last))) return maskAll(inner);
    if (Array.isArray(inner)) return inner.map((item, index) => mask([...at, index], item));
    if (isPlainObject(inner)) {
      return Object.fromEntries(Object.entries(inner).map(([key, each]) => [key, mask([...at, key], each)]));
    }
    return typeof inner === 'string' ? maskText(inner) : inner;
  };
  return mask(path, value);
}

export function maskServer(server: McpServer): McpServer {
  if ('command' in server) {
    const args = server.args && { args: maskArgs(server.args) };
    return { ...server, ...args, ...(server.env ? { env: maskValues(server.env) } : {}) };
  }
  const headers = server.headers ? { headers: maskValues(server.headers) } : {};
  return { ...server, url: maskText(server.url), ...headers };
}

export function containsMask(value: unknown): boolean {
  if (typeof value === 'string') return value.includes(SECRET_MASK);
  if (Array.isArray(value)) return value.some(containsMask);
  return isPlainObject(value) && Object.values(value).some(containsMask);
}

/** The names stay: they show what is set. */
function maskAll(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskAll);
  if (isPlainObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskAll(inner)]));
  return value === '' || value === null || typeof value === 'boolean' ? value : SECRET_MASK;
}

function maskValues(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value === '' ? '' : SECRET_MASK]));
}

function maskText(text: string): string {
  return redactSecrets(text).replaceAll(REDACTED, SECRET_MASK);
}

/** `--api-key abc`: the second argument is a secret. */
function maskArgs(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const before = args[index - 1];
    const isValue = before !== undefined && /^--?[\w-]+$/.test(before) && isSecretName(before) && !arg.startsWith('-');
    return isValue ? SECRET_MASK : maskText(arg);
  });
}

function isHolder(key: string | number): boolean {
  return typeof key === 'string' && SECRET_HOLDERS.test(key);
}
