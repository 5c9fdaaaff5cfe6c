import {
  type AgentCapabilities,
  type AgentMode,
  type AuthState,
  BaseAgentAdapter,
  type EventBody,
  type HostFiles,
  type InstallMethod,
  NO_CAPABILITIES,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { acpCodec } from '../acp/codec.ts';
import { withAccount } from '../shared/account.ts';
import { ACCOUNT, AUTH_CHECKS, AUTH_GUIDANCE } from './auth.ts';
import { CONFIG_SCHEMA } from './config.ts';
import { GEMINI_ACP } from './dialect.ts';
import { endGemini, parseGeminiLine } from './events.ts';
import { launchGemini } from './launch.ts';
import { MODELS } from './models.ts';
import { EXTENSION_FOLDERS, PLUGINS } from './plugins.ts';
import { assertDenialHolds } from './policy.ts';
import { SESSION_STORE } from './sessions.ts';
import { spareSession } from './spare-session.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

const COMMON: AgentCapabilities = {
  ...NO_CAPABILITIES,
  supportsPlugins: true,
  canResume: true,
  sessionPersistence: 'file',
  nativeSessionIds: true,
  resumeAttach: true,
  supportsMultiTurn: true,
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  supportsModelSelection: true,
  contextWindow: 1_048_576,
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
    outputFormat: 'jsonl',
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

/** Google's Gemini CLI. */
export class GeminiAdapter extends BaseAgentAdapter {
  readonly agent = 'gemini';
  readonly displayName = 'Gemini CLI';
  readonly cliCommand = 'gemini';
  override readonly provenVersions = ['0.61.0'];
  override readonly modes = MODES;
  override readonly toolKinds = TOOL_KINDS;
  override readonly models = MODELS;
  override readonly defaultModelId = 'auto';
  override readonly installMethods = INSTALL;
  override readonly envAllowList = [
    'GEMINI_*',
    'GOOGLE_API_KEY',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'GOOGLE_CLOUD_*',
    'GOOGLE_GEMINI_*',
    'GOOGLE_GENAI_*',
    'GOOGLE_VERTEX_*',
  ];
  override readonly hostEnvSignals = ['GEMINI_CLI', 'GEMINI_SESSION_ID', 'GEMINI_PROJECT_DIR', 'GEMINI_CWD'];
  override readonly configSchema = CONFIG_SCHEMA;
  override readonly sessionStore = SESSION_STORE;
  override readonly plugins = PLUGINS;
  override readonly extensionFolders = EXTENSION_FOLDERS;
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  override async detectAuth(env: NodeJS.ProcessEnv = process.env): Promise<AuthState> {
    return withAccount(await super.detectAuth(env), ACCOUNT, env);
  }

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchGemini(options);
  }

  async beforeSpawn(options: ResolvedRunOptions, env: NodeJS.ProcessEnv, files: HostFiles): Promise<void> {
    await assertDenialHolds(options, files);
    await spareSession(options, env, files);
  }

  parseEvent(line: string, context: ParseContext): EventBody[] | null {
    return parseGeminiLine(line, context);
  }

  parseEnd(context: ParseContext, exit: { code: number | null; signal: string | null }): EventBody[] {
    return endGemini(context, exit);
  }
}
