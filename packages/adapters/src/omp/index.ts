import {
  type AgentMode,
  type AuthCheck,
  type AuthSetupGuidance,
  BaseAgentAdapter,
  type EventBody,
  type InstallMethod,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { ENV_ALLOW_LIST, PROVIDER_KEYS } from '../pi-family/index.ts';
import { JSON_MODE, RPC } from './capabilities.ts';
import { CONFIG_SCHEMA, EXTENSION_FOLDERS } from './config.ts';
import { LOGIN } from './errors.ts';
import { parseOmpLine } from './events.ts';
import { CONFIG_HOME } from './home.ts';
import { launchOmp } from './launch.ts';
import { OMP_LIVE } from './live.ts';
import { MODEL_QUERY } from './models.ts';
import { PLUGINS } from './plugins.ts';
import { SESSION_STORE, sessionDir } from './sessions.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

const MODES: readonly AgentMode[] = [
  {
    name: 'rpc',
    driver: 'live',
    summary: 'one process, many turns: commands, events and approvals as lines of JSON',
    capabilities: RPC,
    live: OMP_LIVE,
  },
  {
    name: 'json',
    driver: 'oneshot',
    outputFormat: 'jsonl',
    summary: 'a process per turn, the prompt on stdin',
    capabilities: JSON_MODE,
    turnEndIsFinal: false,
  },
];

const INSTALL: readonly InstallMethod[] = [
  {
    type: 'npm',
    platforms: 'all',
    command: 'npm install -g @oh-my-pi/pi-coding-agent',
    notes: 'needs bun 1.3.14 or newer on the path',
  },
];

const AUTH_CHECKS: readonly AuthCheck[] = [
  ...PROVIDER_KEYS.map((env): AuthCheck => ({ env, method: 'api_key' })),
  {
    database: `${CONFIG_HOME}/agent.db`,
    method: 'oauth',
    logins: 'SELECT DISTINCT provider FROM auth_credentials WHERE disabled_cause IS NULL ORDER BY provider',
  },
];

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: [LOGIN],
  methods: [
    { type: 'oauth', name: 'Subscription', command: 'omp, then /login' },
    { type: 'api_key', name: 'API key', envVars: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'] },
  ],
};

/** oh-my-pi, a fork of pi that has gone its own way. */
export class OmpAdapter extends BaseAgentAdapter {
  readonly agent: string = 'omp';
  readonly displayName: string = 'oh-my-pi';
  readonly cliCommand: string = 'omp';
  override readonly provenVersions = ['18.2.3'];
  override readonly modes = MODES;
  override readonly toolKinds = TOOL_KINDS;
  override readonly installMethods = INSTALL;
  override readonly envAllowList = ['OMP_*', ...ENV_ALLOW_LIST];
  /** Its tools also see `CLAUDECODE` and `AGENT`, which are not its own. */
  override readonly hostEnvSignals = ['OMPCODE'];
  override readonly configSchema = CONFIG_SCHEMA;
  override readonly sessionStore = SESSION_STORE;
  override readonly modelQuery = MODEL_QUERY;
  override readonly plugins = PLUGINS;
  override readonly extensionFolders = EXTENSION_FOLDERS;
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchOmp(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody | EventBody[] | null {
    return parseOmpLine(line, context);
  }

  override sessionDir(cwd?: string): string {
    return sessionDir(cwd);
  }
}
