import { dirname, join } from 'node:path';
import {
  flag,
  flagEach,
  type ResolvedRunOptions,
  type SpawnArgs,
  ValidationError,
  withoutSeparator,
} from '@agent-mux/core';
import { parseRecord, record, texts } from '../shared/json.ts';
import { skillFolder } from '../shared/skill-folder.ts';
import { agentFor, parseModel, replacesSystemPrompt, variantOf } from './choices.ts';
import { nativeServer } from './config.ts';
import type { FamilyDialect } from './dialect.ts';
import { unaskedPermissions } from './permissions.ts';

/**
 * `serve` asks for everything that no rule of a session decides. The sessions of subagents do not get the rules of
 * their parent (see permissions.ts): so it asks for their calls, too, and the codec answers if the rules allow it.
 */
function askByDefault(variable: string, env: Env): string {
  const { '*': _all, ...users } = parseRecord(env[variable] ?? '') ?? {};
  return JSON.stringify({ '*': 'ask', ...users });
}

const CONFIG_FILE = 'config.json';

/** Environment variables of this machine for the process. */
type Env = Readonly<NodeJS.ProcessEnv>;

export function launchServer(options: ResolvedRunOptions, dialect: FamilyDialect, env: Env): SpawnArgs {
  const { envPrefix, serverUser } = dialect;
  const config = configFile(options, dialect);
  return {
    command: dialect.command,
    args: ['serve', '--hostname', '127.0.0.1', '--port', '0'],
    env: {
      ...launchEnv(dialect, env),
      [`${envPrefix}_SERVER_USERNAME`]: serverUser,
      ...(options.nativePermissionMode === undefined
        ? { [`${envPrefix}_PERMISSION`]: askByDefault(`${envPrefix}_PERMISSION`, env) }
        : {}),
      ...(options.noSession ? { [`${envPrefix}_DB`]: ':memory:' } : {}),
      ...inlineConfig(options, dialect, env),
      ...config.env,
      ...options.env,
    },
    // Shared with runs in other folders, so it is in none of them; each request names its folder.
    cwd: dirname(options.scratchDir),
    usePty: false,
    ...(config.files ? { files: config.files } : {}),
  };
}

/** Runs may share a server that would be started in the same way, with the same file. */
export function serverKey(options: ResolvedRunOptions, dialect: FamilyDialect): string {
  const { env = {}, inheritEnv = false, noSession = false, nativePermissionMode, skills = [] } = options;
  const given = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  const own = configFile(options, dialect).files ?? {};
  return JSON.stringify([given, inheritEnv, noSession, nativePermissionMode !== undefined, own, skills]);
}

/** `run --format json`: the prompt on stdin, which must be closed. It cannot ask: requests are denied. */
export function launchRun(options: ResolvedRunOptions, dialect: FamilyDialect, env: Env): SpawnArgs {
  const { model } = options;
  if (model) parseModel(model, options.agent);
  const config = configFile(options, dialect);
  const rules = runRules(options, dialect);
  const free = options.approvalMode === 'yolo' && options.nativePermissionMode === undefined;
  const agent = agentFor(options, dialect) ?? (rules ? dialect.defaultAgent : undefined);
  const args = [
    'run',
    '--format',
    'json',
    '--thinking',
    // stdout does not report retries of the model; the log on stderr does.
    '--print-logs',
    '--log-level',
    'ERROR',
    ...flag('--model', model),
    ...flag('--variant', options.thinkingEffort && variantOf(options.thinkingEffort)),
    ...flag('--session', options.sessionId ?? options.forkSessionId),
    ...(options.forkSessionId ? ['--fork'] : []),
    ...flag('--agent', agent),
    ...(free ? ['--auto'] : []),
    ...flagEach(
      '--file',
      options.attachments.map(({ path }) => path),
    ),
  ];
  return {
    command: dialect.command,
    args,
    env: { ...launchEnv(dialect, env), ...inlineConfig(options, dialect, env, rules), ...config.env, ...options.env },
    cwd: options.cwd,
    usePty: false,
    stdin: options.prompt,
    ...(config.files ? { files: config.files } : {}),
  };
}

/** As rules of the agent itself, so that they come after all others. */
function runRules(options: ResolvedRunOptions, dialect: FamilyDialect): AgentRules | undefined {
  const { approvalMode, nativePermissionMode, deniedTools = [] } = options;
  if (nativePermissionMode !== undefined || (approvalMode === 'yolo' && deniedTools.length === 0)) return undefined;
  for (const tool of deniedTools) withoutSeparator('deniedTools', tool, '{');
  return {
    agent: approvalMode === 'plan' ? dialect.planAgent : dialect.defaultAgent,
    permission: unaskedPermissions(approvalMode, deniedTools),
  };
}

interface AgentRules {
  agent: string;
  permission: unknown;
}

/**
 * In the variable that is read last, after the files of the project. The user's own value of it is merged with ours,
 * and may contain `{env:NAME}`; a name of ours may not. Lists are not joined: the skills of a run replace
 * `skills.paths` in files.
 */
function inlineConfig(
  options: ResolvedRunOptions,
  dialect: FamilyDialect,
  env: Env,
  rules?: AgentRules,
): Record<string, string> {
  const folders = (options.skills ?? []).map((path) => withoutSeparator('skills', skillFolder(path), '{'));
  if (!rules && folders.length === 0) return {};
  const variable = `${dialect.envPrefix}_CONFIG_CONTENT`;
  refuseOwn(variable, rules ? 'approvalMode' : 'skills', options);
  const users = parseRecord(env[variable] ?? '') ?? {};
  const agents = record(users.agent);
  const skills = record(users.skills);
  const config = {
    ...users,
    ...(rules
      ? { agent: { ...agents, [rules.agent]: { ...record(agents[rules.agent]), permission: rules.permission } } }
      : {}),
    ...(folders.length > 0 ? { skills: { ...skills, paths: [...texts(skills.paths), ...folders] } } : {}),
  };
  return { [variable]: JSON.stringify(config) };
}

/** Unless the user has set it. */
function launchEnv(dialect: FamilyDialect, env: Env): Record<string, string> {
  return Object.fromEntries(Object.entries(dialect.launchDefaults).filter(([name]) => env[name] === undefined));
}

/** In a file, since servers may hold secrets, and the agent's shell sees the environment of the process. */
function configFile(
  options: ResolvedRunOptions,
  dialect: FamilyDialect,
): { env?: Record<string, string>; files?: Record<string, string> } {
  const servers = Object.entries(options.mcpServers ?? {});
  const prompt = replacesSystemPrompt(options) ? options.systemPrompt : undefined;
  if (servers.length === 0 && prompt === undefined) return {};
  const variable = `${dialect.envPrefix}_CONFIG`;
  refuseOwn(variable, servers.length > 0 ? 'mcpServers' : 'systemPrompt', options);
  const agent = agentFor(options, dialect) ?? dialect.defaultAgent;
  const config = {
    ...(servers.length > 0 ? { mcp: Object.fromEntries(servers.map(([name, one]) => [name, nativeServer(one)])) } : {}),
    ...(prompt === undefined ? {} : { agent: { [agent]: { prompt } } }),
  };
  return {
    env: { [variable]: join(options.scratchDir, CONFIG_FILE) },
    files: { [CONFIG_FILE]: asWritten(JSON.stringify(config)) },
  };
}

/** `{env:NAME}` and `{file:path}` are replaced in a configuration before it is parsed; escaped, they are plain text. */
function asWritten(json: string): string {
  return json.replace(/\{(?=env:|file:)/g, '\\u007b');
}

/** Two values for one variable: neither may be dropped silently. */
function refuseOwn(variable: string, option: string, options: ResolvedRunOptions): void {
  if (options.env?.[variable] === undefined) return;
  const problem = `${variable} is needed for ${option} and cannot be set together with it`;
  throw new ValidationError('run options', [{ field: `env.${variable}`, problem }], { agent: options.agent });
}
