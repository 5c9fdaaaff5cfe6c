import type { ResolvedRunOptions } from '../contract/options.ts';
import { isSecretName } from '../redact/redact.ts';

/** What any program needs to find its files, its network and its language. A trailing `*` stands for any ending. */
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

/** Without these Windows finds neither its own libraries nor the user's folders. */
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
  /** Set whatever the host has: the caller's values, and the adapter's that `keepAdapterEnv` has kept. */
  extra?: Readonly<Record<string, string | undefined>>;
  /** Everything of the host instead of the allow-list. */
  inheritEnv?: boolean;
  /** The variables that mark a host agent, of all agents. They never pass, or a child believes that it runs inside one. */
  allHostSignals?: readonly string[];
  platform?: NodeJS.Platform;
}

/** The environment of an agent's process: the host's other secrets and other agents' keys stay behind. */
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
    // Two spellings of one name are one variable on Windows, and which of them wins is not defined.
    if (windows) for (const other of Object.keys(env)) if (fold(other) === fold(name)) delete env[other];
    env[name] = value;
  }
  return env;
}

export interface AdapterEnvRequest extends Pick<ChildEnvRequest, 'hostEnv' | 'envAllowList' | 'platform'> {
  allHostSignals: readonly string[];
  /** What the caller asked for: a value that stands in it is the caller's own, wherever the adapter puts it. */
  given?: Pick<ResolvedRunOptions, 'env' | 'inheritEnv'>;
  /** The agent runs on another machine, where what any program needs has other values. */
  elsewhere?: boolean;
}

/**
 * What an adapter sets is the adapter's own: switches, homes, what it made from the options. What it merely hands on from
 * the host is held to the allow-list: a variable under its own name, and a secret of the host under any name. The marks of
 * a host agent never pass. Guards against `env: { ...process.env }`, not against code that means harm: an adapter runs in
 * this process, and a value that it has changed or embedded cannot be told from its own. Variables of the caller are left
 * out: they come after, from the options themselves.
 */
export function keepAdapterEnv(
  env: Readonly<Record<string, string>> = {},
  request: AdapterEnvRequest,
): { kept: Record<string, string>; dropped: string[] } {
  const windows = (request.platform ?? process.platform) === 'win32';
  const fold = foldFor(windows);
  const names = [...(request.elsewhere ? [] : baseNames(windows)), ...(request.envAllowList ?? [])];
  const allowed = nameMatcher(names.map(fold));
  const isHostSignal = nameMatcher(request.allHostSignals.map(fold));
  // A client may be given another environment; an adapter that looks for itself sees that of the process.
  const host = [...Object.entries(process.env), ...Object.entries(request.hostEnv)];
  const entriesOf = Map.groupBy(host, ([name]) => fold(name));
  const allowedValues = new Set(host.flatMap(([name, value]) => (allowed(fold(name)) ? [value] : [])));
  const secrets = new Set(
    host.flatMap(([name, value = '']) =>
      isSecretName(name) && value.length >= LEAST_FOREIGN_SECRET && !allowedValues.has(value) ? [value] : [],
    ),
  );
  const { given = {} } = request;
  const callers = new Set(Object.keys(given.env ?? {}).map(fold));
  const isGiven = (value: string) => JSON.stringify(given).includes(JSON.stringify(value));

  const kept: Record<string, string> = {};
  const dropped: string[] = [];
  for (const [name, value] of Object.entries(env)) {
    if (callers.has(fold(name))) continue;
    const hosts = entriesOf.get(fold(name))?.some(([, own]) => own === value) ?? false;
    const foreign = !given.inheritEnv && ((hosts && !allowed(fold(name))) || secrets.has(value));
    if (isHostSignal(fold(name)) || (foreign && !isGiven(value))) dropped.push(name);
    else kept[name] = value;
  }
  return { kept, dropped };
}

/** Shorter values are switches, and equal to others by chance. */
const LEAST_FOREIGN_SECRET = 8;

function foldFor(windows: boolean): (name: string) => string {
  return (name) => (windows ? name.toUpperCase() : name);
}

/** Whether any program may see it, on any platform. */
export function isBaseName(name: string): boolean {
  return nameMatcher(baseNames(true).map((base) => base.toUpperCase()))(name.toUpperCase());
}

function baseNames(windows: boolean): readonly string[] {
  return windows ? [...BASE_ENV_ALLOW_LIST, ...WINDOWS_ENV_ALLOW_LIST] : BASE_ENV_ALLOW_LIST;
}

function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
  // A bare `*` would let everything pass, which only `inheritEnv` may ask for.
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*') && pattern.length > 1).map((p) => p.slice(0, -1));
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
