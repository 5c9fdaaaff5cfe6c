import type { ResolvedRunOptions } from '../contract/options.ts';
import { isSecretName } from '../redact/redact.ts';

/** Variables any program needs for its files, network and language. A trailing `*` matches any suffix. */
export const BASE_ENV_ALLOW_LIST: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'LC_*',
  'TZ',
  'TERM',
  'COLORTERM',
  'NO_COLOR',
  'TMPDIR',
  'TEMP',
  'TMP',
  'XDG_*',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'all_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'SSH_AUTH_SOCK',
];

/** Windows needs these to find its libraries and the user's folders. */
export const WINDOWS_ENV_ALLOW_LIST: readonly string[] = [
  'SystemRoot',
  'SystemDrive',
  'windir',
  'ComSpec',
  'PATHEXT',
  'OS',
  'APPDATA',
  'LOCALAPPDATA',
  'ProgramData',
  'ALLUSERSPROFILE',
  'PUBLIC',
  'ProgramFiles',
  'ProgramFiles(x86)',
  'ProgramW6432',
  'CommonProgramFiles',
  'USERPROFILE',
  'USERNAME',
  'USERDOMAIN',
  'COMPUTERNAME',
  'HOMEDRIVE',
  'HOMEPATH',
  'NUMBER_OF_PROCESSORS',
  'PROCESSOR_ARCHITECTURE',
];

export interface ChildEnvRequest {
  hostEnv: NodeJS.ProcessEnv;
  /** The agent's own variables; `PREFIX_*` is allowed. */
  envAllowList?: readonly string[];
  /** Always set: the caller's values, and the adapter's values that pass `filterAdapterEnv`. */
  extra?: Readonly<Record<string, string | undefined>>;
  /** Passes the whole host environment instead of the allow list. */
  inheritEnv?: boolean;
  /**
   * Markers of host agents, of all agents. They are always removed, or a child would assume that it runs inside one.
   */
  allHostSignals?: readonly string[];
  platform?: NodeJS.Platform;
}

/** The environment of an agent's process, without the host's other secrets and other agents' keys. */
export function buildChildEnv(request: ChildEnvRequest): Record<string, string> {
  const { hostEnv, envAllowList = [], extra = {}, inheritEnv = false, allHostSignals = [] } = request;
  const windows = (request.platform ?? process.platform) === 'win32';
  const fold = foldFor(windows);
  const allowed = nameMatcher([...baseNames(windows), ...envAllowList].map(fold));
  const isHostSignal = nameMatcher(allHostSignals.map(fold));

  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(hostEnv)) {
    if (value === undefined || isHostSignal(fold(name))) continue;
    if (inheritEnv || allowed(fold(name))) env[name] = value;
  }
  for (const [name, value] of Object.entries(extra)) {
    if (value === undefined) continue;
    // Two spellings of one name are the same variable on Windows, and which one wins is undefined.
    if (windows) for (const other of Object.keys(env)) if (fold(other) === fold(name)) delete env[other];
    env[name] = value;
  }
  return env;
}

export interface AdapterEnvRequest extends Pick<ChildEnvRequest, 'hostEnv' | 'envAllowList' | 'platform'> {
  allHostSignals: readonly string[];
  /** Options of the caller: a value from them is allowed wherever the adapter puts it. */
  options?: Pick<ResolvedRunOptions, 'env' | 'inheritEnv'>;
  /** The agent runs on another machine, where the base variables have other values. */
  isRemote?: boolean;
}

/**
 * Filters the variables an adapter sets. Its own values pass: switches, folders, values derived from the options.
 * Values it merely copies from the host must be on the allow list: a variable under its own name, and a secret of the
 * host under any name. Markers of host agents never pass. Guards against `env: { ...process.env }`, not against
 * malicious code: an adapter runs in this process, and a changed or embedded value cannot be detected. Variables of the
 * caller are excluded: they are added later, from the options.
 */
export function filterAdapterEnv(
  env: Readonly<Record<string, string>> = {},
  request: AdapterEnvRequest,
): { kept: Record<string, string>; dropped: string[] } {
  const windows = (request.platform ?? process.platform) === 'win32';
  const fold = foldFor(windows);
  const names = [...(request.isRemote ? [] : baseNames(windows)), ...(request.envAllowList ?? [])];
  const allowed = nameMatcher(names.map(fold));
  const isHostSignal = nameMatcher(request.allHostSignals.map(fold));
  // A client may use another environment, but an adapter can also read that of the process.
  const host = [...Object.entries(process.env), ...Object.entries(request.hostEnv)];
  const entriesOf = Map.groupBy(host, ([name]) => fold(name));
  const allowedValues = new Set(host.flatMap(([name, value]) => (allowed(fold(name)) ? [value] : [])));
  const secrets = new Set(
    host.flatMap(([name, value = '']) =>
      isSecretName(name) && value.length >= MIN_FOREIGN_SECRET && !allowedValues.has(value) ? [value] : [],
    ),
  );
  const { options = {} } = request;
  const callers = new Set(Object.keys(options.env ?? {}).map(fold));
  const isGiven = (value: string) => JSON.stringify(options).includes(JSON.stringify(value));

  const kept: Record<string, string> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (callers.has(fold(name))) continue;
    const hosts = entriesOf.get(fold(name))?.some(([, own]) => own === value) ?? false;
    const foreign = !options.inheritEnv && ((hosts && !allowed(fold(name))) || secrets.has(value));
    if (isHostSignal(fold(name)) || (foreign && !isGiven(value))) dropped.push(name);
    else kept[name] = value;
  }
  return { kept, dropped };
}

/** Shorter values are switches, which may be equal by chance. */
const MIN_FOREIGN_SECRET = 8;

function foldFor(windows: boolean): (name: string) => string {
  return (name) => (windows ? name.toUpperCase() : name);
}

/** Whether the name is a base variable on any platform. */
export function isBaseName(name: string): boolean {
  return nameMatcher(baseNames(true).map((base) => base.toUpperCase()))(name.toUpperCase());
}

function baseNames(windows: boolean): readonly string[] {
  return windows ? [...BASE_ENV_ALLOW_LIST, ...WINDOWS_ENV_ALLOW_LIST] : BASE_ENV_ALLOW_LIST;
}

function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
  // A bare `*` would pass everything, which requires `inheritEnv`.
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*') && pattern.length > 1).map((p) => p.slice(0, -1));
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
