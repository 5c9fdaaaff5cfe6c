import {
  type AgentCapabilities,
  type AgentMode,
  type AuthCheck,
  type AuthSetupGuidance,
  BaseAgentAdapter,
  type EventBody,
  type InstallMethod,
  NO_CAPABILITIES,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
  THINKING_EFFORTS,
} from '@agent-mux/core';
import { acpCodec } from '../acp/codec.ts';
import { CONFIG_FILE, CONFIG_SCHEMA } from './config.ts';
import { OPENCLAW_ACP } from './dialect.ts';
import { readOpenClawStderr } from './errors.ts';
import { endExec, keepExecLine } from './events.ts';
import { OPENCLAW_HOME } from './home.ts';
import { launchOpenClaw } from './launch.ts';
import { EXTENSION_FOLDERS, PLUGINS } from './plugins.ts';
import { SESSION_STORE } from './sessions.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

const COMMON: AgentCapabilities = {
  ...NO_CAPABILITIES,
  supportsPlugins: true,
  supportsModelSelection: true,
  supportsThinking: true,
  thinkingEfforts: THINKING_EFFORTS,
  systemPrompt: { append: 'prefix' },
  supportsInterrupt: true,
  supportedPlatforms: ['darwin', 'linux'],
};

const MODES: readonly AgentMode[] = [
  {
    name: 'acp',
    driver: 'acp',
    summary:
      'a bridge to a gateway that already runs (`openclaw gateway run`); thoughts and reasons of failures are not told',
    capabilities: {
      ...COMMON,
      canResume: true,
      supportsMultiTurn: true,
      sessionPersistence: 'sqlite',
      nativeSessionIds: true,
      resumeAttach: true,
      execModel: 'interactive',
      supportsTextStreaming: true,
      supportsActivityStreaming: true,
      supportsImageInput: true,
      supportsNativeTools: true,
      supportsParallelToolCalls: true,
      approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
    },
    live: { transport: 'stdio', codec: acpCodec(OPENCLAW_ACP), sessionFirst: true },
  },
  {
    name: 'exec',
    driver: 'oneshot',
    outputFormat: 'json',
    summary: 'a process and a state of its own per run, no gateway; all is told at the end, tools are not shown',
    capabilities: { ...COMMON, approvalModes: ['yolo'], reportsUsage: true, reportsCost: true },
  },
];

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g openclaw', notes: 'needs Node 24.16 or newer, but not 25' },
];

const PROVIDER_KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY', 'XAI_API_KEY'];

const AUTH_CHECKS: readonly AuthCheck[] = [
  ...PROVIDER_KEYS.map((env): AuthCheck => ({ env, method: 'api_key' })),
  { file: CONFIG_FILE, key: 'models.providers', method: 'config_file' },
  {
    database: `${OPENCLAW_HOME}/agents/main/agent/openclaw-agent.sqlite`,
    method: 'config_file',
    logins: `SELECT DISTINCT json_extract(profile.value, '$.provider')
      FROM auth_profile_store, json_each(store_json, '$.profiles') AS profile`,
  },
  { unseen: 'a login may be in the database of the agent: `openclaw models status`' },
];

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: ['Run `openclaw onboard`, then `openclaw gateway run`.'],
  methods: [
    { type: 'config_file', name: 'Provider of OpenClaw', command: 'openclaw onboard' },
    { type: 'api_key', name: 'Provider key', envVars: PROVIDER_KEYS },
  ],
  docsUrl: 'https://docs.openclaw.ai',
};

/** OpenClaw. Which agent of the gateway answers is the gateway's default. */
export class OpenClawAdapter extends BaseAgentAdapter {
  readonly agent = 'openclaw';
  readonly displayName = 'OpenClaw';
  readonly cliCommand = 'openclaw';
  override readonly provenVersions = ['2026.9.6'];
  override readonly modes = MODES;
  override readonly toolKinds = TOOL_KINDS;
  override readonly installMethods = INSTALL;
  override readonly envAllowList = ['OPENCLAW_*', ...PROVIDER_KEYS];
  override readonly hostEnvSignals = ['OPENCLAW_SHELL', 'OPENCLAW_CLI'];
  override readonly configSchema = CONFIG_SCHEMA;
  override readonly sessionStore = SESSION_STORE;
  override readonly plugins = PLUGINS;
  override readonly extensionFolders = EXTENSION_FOLDERS;
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchOpenClaw(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody[] | null {
    return context.options.mode === 'exec' ? keepExecLine(line, context) : readOpenClawStderr(line);
  }

  parseEnd(context: ParseContext): EventBody[] {
    return context.options.mode === 'exec' ? endExec(context) : [];
  }
}
