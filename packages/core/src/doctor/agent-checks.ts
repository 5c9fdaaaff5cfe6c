import { Auth } from '../auth/auth.ts';
import type { AgentAdapter, InstalledAgentInfo } from '../contract/adapter.ts';
import type { Finding } from '../contract/management.ts';
import { validateConfig } from '../native-config/validate.ts';
import { redactSecrets } from '../redact/redact.ts';
import type { Registry } from '../registry/registry.ts';
import { installMethodsFor } from '../registry/registry-errors.ts';
import { messageOf } from '../values.ts';
import { checkHealth, serverOf } from './health.ts';

interface CheckContext {
  adapter: AgentAdapter;
  info: InstalledAgentInfo;
  /** The agent was named by the caller. */
  named: boolean;
  env: NodeJS.ProcessEnv;
  cwd: string | undefined;
  adapters: Registry;
}

export type CheckResult = Omit<Finding, 'agent'>;
export type AgentCheck = (patient: CheckContext) => CheckResult[] | Promise<CheckResult[]>;

function checkBinary({ adapter, info, named }: CheckContext): CheckResult[] {
  const { agent, displayName, cliCommand } = adapter;
  if (info.installed) return [{ level: 'ok', check: 'binary', message: info.cliPath ?? 'no installation needed' }];
  const hasWay = installMethodsFor(adapter, process.platform).length > 0;
  return [
    {
      level: named ? 'error' : 'info',
      check: 'binary',
      message: `${displayName} is not installed: "${cliCommand}" is not on PATH`,
      hint: hasWay ? `run "amux install ${agent}"` : `put "${cliCommand}" on PATH`,
    },
  ];
}

function checkVersion({ adapter, info }: CheckContext): CheckResult[] {
  const { agent, displayName, verifiedVersions = [], documentedBy } = adapter;
  const { installed, version: found, minVersion, meetsMinVersion } = info;
  if (!installed || adapter.needsNoInstall) return [];
  const check = 'version';
  if (info.problem !== undefined) {
    const hint = `check its output; "amux install ${agent}" may fix it`;
    return [{ level: 'warning', check, message: redactSecrets(info.problem), hint }];
  }
  if (found === null) {
    const level = minVersion === '' ? 'info' : 'warning';
    const query = [adapter.cliCommand, ...(adapter.versionArgs ?? ['--version'])].join(' ');
    return [{ level, check, message: 'its version is unknown', hint: `check the output of "${query}"` }];
  }
  if (!meetsMinVersion) {
    const message = `${displayName} ${found} is older than the required ${minVersion}`;
    return [{ level: 'error', check, message, hint: `run "amux update ${agent}"` }];
  }
  if (verifiedVersions.includes(found))
    return [{ level: 'ok', check, message: `${found}, verified with this version` }];
  if (verifiedVersions.length > 0) {
    const message = `${found}; the adapter was verified with ${verifiedVersions.join(', ')}`;
    return [{ level: 'info', check, message, hint: `run "amux verify ${agent}" to verify it here, offline` }];
  }
  const message = documentedBy ? `${found}; the adapter is based on documentation and was not verified` : found;
  return [{ level: documentedBy ? 'info' : 'ok', check, message }];
}

async function checkLogin({ adapter, info, env, adapters }: CheckContext): Promise<CheckResult[]> {
  if (!info.installed) return [];
  const auth = await new Auth({ adapters, env }).check(adapter.agent);
  const method = auth.method === 'none' ? undefined : auth.method;
  const who = [method, auth.identity, auth.details].filter(Boolean).join(', ');
  const hint = `run "amux auth guide ${adapter.agent}"`;
  const check = 'login';
  switch (auth.status) {
    case 'authenticated':
      return [{ level: 'ok', check, message: who ? `logged in: ${who}` : 'logged in' }];
    case 'expired':
      return [{ level: 'warning', check, message: `the login has expired${who ? `: ${who}` : ''}`, hint }];
    case 'unauthenticated':
      return [{ level: 'warning', check, message: 'not logged in', hint }];
    default:
      return [{ level: 'info', check, message: `login status unknown: ${who}`, hint }];
  }
}

/** For agents that use an external server: whether it is reachable. */
async function checkServer({ adapter, named, env, adapters }: CheckContext): Promise<CheckResult[]> {
  if (!serverOf(adapter)) return [];
  const { healthy, message } = await checkHealth({ adapters, env }, adapter);
  if (healthy) return [{ level: 'ok', check: 'server', message }];
  return [{ level: named ? 'error' : 'info', check: 'server', message, hint: 'start it, or configure its address' }];
}

/** Also for an agent that is not installed: a broken file would break it later. */
async function checkConfig({ adapter, env, cwd }: CheckContext): Promise<CheckResult[]> {
  const check = 'config';
  try {
    const wrong = await validateConfig(adapter.configSchema, { cwd }, env);
    const results = wrong.map((finding): CheckResult => {
      const { file, line, column, field, problem } = finding;
      const where = line === undefined ? file : `${file}:${line}:${column}`;
      const message = redactSecrets(`${where}: ${field ? `${field} ` : ''}${problem}`);
      const hint = field
        ? `run "amux config schema ${adapter.agent}" to list valid values`
        : `fix ${file}, or move it away`;
      return { level: field ? 'warning' : 'error', check, message, hint };
    });
    if (results.length > 0) return results;
    const { sources = [] } = await adapter.readConfig(cwd, env);
    return sources.length > 0 ? [{ level: 'ok', check, message: sources.join(', ') }] : [];
  } catch (error) {
    const message = redactSecrets(messageOf(error));
    return [{ level: 'error', check, message, hint: 'fix the file, or move it away' }];
  }
}

/** In the order in which they are reported. */
export const AGENT_CHECKS: readonly AgentCheck[] = [checkBinary, checkVersion, checkServer, checkLogin, checkConfig];
