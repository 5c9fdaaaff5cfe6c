import {
  type AgentCapabilities,
  type AgentConfigSchema,
  type AgentMode,
  type AuthCheck,
  type AuthSetupGuidance,
  BaseAgentAdapter,
  type EventBody,
  expandPath,
  type InstallMethod,
  NO_CAPABILITIES,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { acpCodec } from '../acp/codec.ts';
import { GEMINI_ACP } from './dialect.ts';
import { endGemini, parseGeminiLine } from './events.ts';
import { GEMINI_HOME } from './home.ts';
import { launchGemini } from './launch.ts';
import { assertDenialHolds } from './policy.ts';
import { spareSession } from './spare-session.ts';

const COMMON: AgentCapabilities = {
  ...NO_CAPABILITIES,
  canResume: true,
  sessionPersistence: 'file',
  nativeSessionIds: true,
  resumeAttach: true,
  supportsMultiTurn: true,
  supportsTextStreaming: true,
  supportsModelSelection: true,
  supportsThinking: true,
  systemPrompt: { replace: 'native', append: 'prefix' },
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsMCP: true,
  supportsAllowedTools: true,
  supportsDeniedTools: true,
  supportsAddDirs: true,
  supportsInterrupt: true,
  reportsUsage: true,
};

const MODES: readonly AgentMode[] = [
  {
    name: 'acp',
    driver: 'acp',
    summary: 'one process, many turns, over the Agent Client Protocol',
    capabilities: {
      ...COMMON,
      execModel: 'interactive',
      supportsThinkingStreaming: true,
      supportsImageInput: true,
      approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
      supportsModelSwitch: true,
      supportsModeSwitch: true,
    },
    live: { transport: 'stdio', codec: acpCodec(GEMINI_ACP), sessionFirst: true },
  },
  {
    name: 'stream-json',
    driver: 'oneshot',
    summary: 'a process per turn, the prompt on stdin; thoughts are not shown and nobody can be asked',
    capabilities: {
      ...COMMON,
      supportsThinking: false,
      // Servers stand in settings only, and settings for one run are not taken from a file that is not root's.
      supportsMCP: false,
      approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
    },
    turnEndIsFinal: true,
  },
];

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g @google/gemini-cli' },
  { type: 'brew', platforms: ['darwin', 'linux'], command: 'brew install gemini-cli' },
];

const AUTH_CHECKS: readonly AuthCheck[] = [
  { env: 'GEMINI_API_KEY', method: 'api_key' },
  { env: 'GOOGLE_API_KEY', method: 'api_key' },
  { file: `${GEMINI_HOME}/oauth_creds.json`, method: 'oauth' },
  { env: 'GOOGLE_APPLICATION_CREDENTIALS', method: 'config_file' },
];

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: ['Run `gemini` once and log in, or set GEMINI_API_KEY.'],
  methods: [
    { type: 'browser_login', name: 'Google account', command: 'gemini' },
    { type: 'api_key', name: 'Gemini API key', envVars: ['GEMINI_API_KEY'] },
    { type: 'api_key', name: 'Vertex AI key', envVars: ['GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'] },
  ],
  docsUrl: 'https://geminicli.com/docs/get-started/authentication',
};

const CONFIG_SCHEMA: AgentConfigSchema = {
  agent: 'gemini',
  fields: [
    { name: 'model', type: 'string', description: 'Default model', nativePath: 'model.name' },
    {
      name: 'authType',
      type: 'string',
      description: 'How it logs in: oauth-personal, gemini-api-key, vertex-ai, gateway',
      nativePath: 'security.auth.selectedType',
    },
    { name: 'mcpServers', type: 'object', description: 'MCP servers of every session' },
    {
      name: 'maxSessionTurns',
      type: 'number',
      description: 'Model requests of a session; -1: no limit',
      nativePath: 'model.maxSessionTurns',
    },
    {
      name: 'maxAttempts',
      type: 'number',
      description: 'How often a request to the model is tried, at most 10',
      nativePath: 'general.maxAttempts',
    },
  ],
  configFilePaths: [`${GEMINI_HOME}/settings.json`],
  projectConfigFilePaths: ['.gemini/settings.json'],
  format: 'jsonc',
};

/** Google's Gemini CLI. */
export class GeminiAdapter extends BaseAgentAdapter {
  readonly agent = 'gemini';
  readonly displayName = 'Gemini CLI';
  readonly cliCommand = 'gemini';
  override readonly provenVersions = ['0.61.0'];
  override readonly modes = MODES;
  override readonly installMethods = INSTALL;
  override readonly envAllowList = ['GEMINI_*', 'GOOGLE_*'];
  override readonly hostEnvSignals = [
    'GEMINI_CLI',
    'GEMINI_CLI_NO_RELAUNCH',
    'GEMINI_SESSION_ID',
    'GEMINI_PROJECT_DIR',
    'GEMINI_CWD',
  ];
  override readonly configSchema = CONFIG_SCHEMA;
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchGemini(options);
  }

  async beforeSpawn(options: ResolvedRunOptions, env: NodeJS.ProcessEnv): Promise<void> {
    await assertDenialHolds(options);
    await spareSession(options, env);
  }

  parseEvent(line: string, context: ParseContext): EventBody[] | null {
    return parseGeminiLine(line, context);
  }

  parseEnd(context: ParseContext, exit: { code: number | null; signal: string | null }): EventBody[] {
    return endGemini(context, exit);
  }

  override sessionDir(): string {
    return expandPath(`${GEMINI_HOME}/tmp`);
  }
}
