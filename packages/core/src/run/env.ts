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
  /** Set whatever the host has: the adapter's and the caller's values. */
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
  const fold = (name: string) => (windows ? name.toUpperCase() : name);
  const allowed = nameMatcher(
    [...BASE_ENV_ALLOW_LIST, ...(windows ? WINDOWS_ENV_ALLOW_LIST : []), ...envAllowList].map(fold),
  );
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

function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set(patterns.filter((pattern) => !pattern.endsWith('*')));
  // A bare `*` would let everything pass, which only `inheritEnv` may ask for.
  const prefixes = patterns.filter((pattern) => pattern.endsWith('*') && pattern.length > 1).map((p) => p.slice(0, -1));
  return (name) => names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
