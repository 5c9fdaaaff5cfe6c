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
import { APP_SERVER, EXEC } from './capabilities.ts';
import { parseCodexLine } from './events.ts';
import { CODEX_HOME } from './home.ts';
import { launchCodex } from './launch.ts';
import { appServerLive } from './live.ts';
import { MODELS } from './models.ts';
import { sessionDir } from './sessions.ts';

const MODES: readonly AgentMode[] = [
  {
    name: 'app-server',
    driver: 'live',
    summary: 'one process, many turns: JSON-RPC on stdio, with approvals, steering and interrupts',
    capabilities: APP_SERVER,
    live: appServerLive(),
    // It leaves about 5 s after its stdin was closed (seen with 0.166).
    turnEndIsFinal: true,
  },
  {
    name: 'exec',
    driver: 'oneshot',
    summary: 'a process per turn, the prompt on stdin; it cannot ask',
    capabilities: EXEC,
    // It leaves about 5 s after its last line (seen with 0.166).
    turnEndIsFinal: true,
  },
];

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g @openai/codex' },
  { type: 'brew', platforms: ['darwin'], command: 'brew install --cask codex' },
];

const AUTH_CHECKS: readonly AuthCheck[] = [
  { env: 'OPENAI_API_KEY', method: 'api_key' },
  { env: 'CODEX_API_KEY', method: 'api_key' },
  { file: `${CODEX_HOME}/auth.json`, key: 'OPENAI_API_KEY', method: 'api_key' },
  { file: `${CODEX_HOME}/auth.json`, key: 'tokens', method: 'browser_login' },
];

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: ['Run `codex login` once, or give it a key: `printenv OPENAI_API_KEY | codex login --with-api-key`.'],
  methods: [
    { type: 'browser_login', name: 'ChatGPT account', command: 'codex login' },
    { type: 'api_key', name: 'API key', envVars: ['OPENAI_API_KEY'], command: 'codex login --with-api-key' },
  ],
  docsUrl: 'https://developers.openai.com/codex',
};

/** Its home, its switches, and the keys of its own provider. The variable of another provider is given with the run. */
const ENV_ALLOW_LIST: readonly string[] = ['CODEX_*', 'OPENAI_*', 'RUST_LOG'];

/** What a tool shell of 0.166 has. */
const HOST_ENV_SIGNALS: readonly string[] = [
  'CODEX_THREAD_ID',
  'CODEX_SESSION_ID',
  'CODEX_TOOL_CALL_ID',
  'CODEX_CI',
  'CODEX_VERSION',
  'CODEX_MANAGED_BY_NPM',
  'CODEX_MANAGED_PACKAGE_ROOT',
  'CODEX_PERMISSION_PROFILE',
  'CODEX_SANDBOX_NETWORK_DISABLED',
];

/** OpenAI's Codex CLI. */
export class CodexAdapter extends BaseAgentAdapter {
  readonly agent: string = 'codex';
  readonly displayName: string = 'Codex';
  readonly cliCommand: string = 'codex';
  override readonly provenVersions = ['0.166.0'];
  override readonly modes = MODES;
  override readonly models = MODELS;
  override readonly defaultModelId = 'gpt-6.1-sol';
  override readonly installMethods = INSTALL;
  override readonly envAllowList = ENV_ALLOW_LIST;
  override readonly hostEnvSignals = HOST_ENV_SIGNALS;
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchCodex(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody | EventBody[] | null {
    return parseCodexLine(line, context);
  }

  override sessionDir(): string {
    return sessionDir();
  }
}
