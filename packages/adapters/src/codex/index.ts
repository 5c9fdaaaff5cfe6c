import {
  type AgentConfigSchema,
  type AgentMode,
  BaseAgentAdapter,
  type EventBody,
  type InstallMethod,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { appServerLive } from './app-server/live.ts';
import { AUTH_CHECKS, AUTH_GUIDANCE } from './auth.ts';
import { APP_SERVER, EXEC } from './capabilities.ts';
import { parseCodexLine } from './exec/events.ts';
import { launchCodex } from './launch.ts';
import { MODEL_QUERY, MODELS } from './models.ts';
import { CONFIG_SCHEMA } from './native-config.ts';
import { EXTENSION_FOLDERS, PLUGINS } from './plugins.ts';
import { SESSION_STORE } from './sessions/sessions.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

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
    outputFormat: 'jsonl',
    summary: 'a process per turn, the prompt on stdin; it cannot ask',
    capabilities: EXEC,
    // It leaves about 5 s after its last line (seen with 0.166).
    turnEndIsFinal: true,
  },
];

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g @openai/codex' },
  {
    type: 'curl',
    platforms: ['darwin', 'linux'],
    command: 'curl -fsSL https://chatgpt.com/codex/install.sh | sh',
    update: 'codex update',
  },
  { type: 'brew', platforms: ['darwin'], command: 'brew install --cask codex' },
];

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
  override readonly toolKinds = TOOL_KINDS;
  override readonly models = MODELS;
  override readonly defaultModelId = 'gpt-6.1-sol';
  override readonly modelQuery = MODEL_QUERY;
  override readonly sessionStore = SESSION_STORE;
  override readonly plugins = PLUGINS;
  override readonly extensionFolders = EXTENSION_FOLDERS;
  override readonly installMethods = INSTALL;
  override readonly envAllowList = ENV_ALLOW_LIST;
  override readonly hostEnvSignals = HOST_ENV_SIGNALS;
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  override get configSchema(): AgentConfigSchema {
    return { ...CONFIG_SCHEMA, agent: this.agent };
  }

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchCodex(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody | EventBody[] | null {
    return parseCodexLine(line, context);
  }
}
