import { Auth } from '../auth/auth.ts';
import type { AgentAdapter, InstalledAgentInfo } from '../contract/adapter.ts';
import type { Finding } from '../contract/upkeep.ts';
import { validateConfig } from '../native-config/validate.ts';
import { redactSecrets } from '../redact/redact.ts';
import { installMethodsFor } from '../registry/refusals.ts';
import type { Registry } from '../registry/registry.ts';
import { messageOf } from '../values.ts';
import { checkHealth, serverOf } from './health.ts';

interface Patient {
  adapter: AgentAdapter;
  info: InstalledAgentInfo;
  /** Somebody asked for this one. */
  named: boolean;
  env: NodeJS.ProcessEnv;
  cwd: string | undefined;
  adapters: Registry;
}

export type Told = Omit<Finding, 'agent'>;
export type AgentCheck = (patient: Patient) => Told[] | Promise<Told[]>;

function checkBinary({ adapter, info, named }: Patient): Told[] {
  const { agent, displayName, cliCommand } = adapter;
  if (info.installed)
    return [{ level: 'ok', check: 'binary', message: info.cliPath ?? 'nothing has to be installed for it' }];
  const hasWay = installMethodsFor(adapter, process.platform).length > 0;
  return [
    {
      level: named ? 'error' : 'info',
      check: 'binary',
      message: `${displayName} is not installed: "${cliCommand}" is not on PATH`,
      remedy: hasWay ? `amux install ${agent}` : `put "${cliCommand}" on PATH`,
    },
  ];
}

function checkVersion({ adapter, info }: Patient): Told[] {
  const { agent, displayName, provenVersions = [], documentedBy } = adapter;
  const { installed, version: found, minVersion, meetsMinVersion } = info;
  if (!installed || adapter.needsNoInstall) return [];
  const check = 'version';
  if (info.problem !== undefined) {
    const remedy = `look at what it says; amux install ${agent} may mend it`;
    return [{ level: 'warning', check, message: redactSecrets(info.problem), remedy }];
  }
  if (found === null) {
    const level = minVersion === '' ? 'info' : 'warning';
    const asked = [adapter.cliCommand, ...(adapter.versionArgs ?? ['--version'])].join(' ');
    return [{ level, check, message: 'its version is not known', remedy: `look at what "${asked}" says` }];
  }
  if (!meetsMinVersion) {
    const message = `${displayName} ${found} is older than ${minVersion}, which is needed`;
    return [{ level: 'error', check, message, remedy: `amux update ${agent}` }];
  }
  if (provenVersions.includes(found)) return [{ level: 'ok', check, message: `${found}, proven with this version` }];
  if (provenVersions.length > 0) {
    const message = `${found}; the adapter was proven with ${provenVersions.join(', ')}`;
    return [{ level: 'info', check, message, remedy: `amux verify ${agent} proves it here, offline` }];
  }
  const message = documentedBy ? `${found}; the adapter is made from documents and was not proven` : found;
  return [{ level: documentedBy ? 'info' : 'ok', check, message }];
}

async function checkLogin({ adapter, info, env, adapters }: Patient): Promise<Told[]> {
  if (!info.installed) return [];
  const auth = await new Auth({ adapters, env }).check(adapter.agent);
  const method = auth.method === 'none' ? undefined : auth.method;
  const who = [method, auth.identity, auth.details].filter(Boolean).join(', ');
  const remedy = `amux auth guide ${adapter.agent}`;
  const check = 'login';
  switch (auth.status) {
    case 'authenticated':
      return [{ level: 'ok', check, message: who ? `logged in: ${who}` : 'logged in' }];
    case 'expired':
      return [{ level: 'warning', check, message: `the login has expired${who ? `: ${who}` : ''}`, remedy }];
    case 'unauthenticated':
      return [{ level: 'warning', check, message: 'nobody is logged in', remedy }];
    default:
      return [{ level: 'info', check, message: `whether somebody is logged in cannot be seen: ${who}`, remedy }];
  }
}

/** Agents that are somebody else's server: whether there is one. */
async function checkServer({ adapter, named, env, adapters }: Patient): Promise<Told[]> {
  if (!serverOf(adapter)) return [];
  const { healthy, message } = await checkHealth({ adapters, env }, adapter);
  if (healthy) return [{ level: 'ok', check: 'server', message }];
  return [{ level: named ? 'error' : 'info', check: 'server', message, remedy: 'start it, or say where it is' }];
}

/** Also of an agent that is not installed: a file that is broken waits for it. */
async function checkConfig({ adapter, env, cwd }: Patient): Promise<Told[]> {
  const check = 'config';
  try {
    const wrong = await validateConfig(adapter.configSchema, { cwd }, env);
    const told = wrong.map((finding): Told => {
      const { file, line, column, field, problem } = finding;
      const where = line === undefined ? file : `${file}:${line}:${column}`;
      const message = redactSecrets(`${where}: ${field ? `${field} ` : ''}${problem}`);
      const remedy = field ? `amux config schema ${adapter.agent} says what it takes` : `mend ${file}, or move it away`;
      return { level: field ? 'warning' : 'error', check, message, remedy };
    });
    if (told.length > 0) return told;
    const { sources = [] } = await adapter.readConfig(cwd, env);
    return sources.length > 0 ? [{ level: 'ok', check, message: sources.join(', ') }] : [];
  } catch (error) {
    const message = redactSecrets(messageOf(error));
    return [{ level: 'error', check, message, remedy: 'mend the file, or move it away' }];
  }
}

/** In the order in which they are told. */
export const AGENT_CHECKS: readonly AgentCheck[] = [checkBinary, checkVersion, checkServer, checkLogin, checkConfig];
