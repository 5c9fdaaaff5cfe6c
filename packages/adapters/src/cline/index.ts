import {
  type AgentCapabilities,
  type AgentConfigSchema,
  type AgentMode,
  type AuthCheck,
  type AuthSetupGuidance,
  BaseAgentAdapter,
  type EventBody,
  type ExtensionFolders,
  type InstallMethod,
  NO_CAPABILITIES,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { CONFIG_SCHEMA } from './config.ts';
import { parseClineLine } from './events.ts';
import { CLINE_DATA, CLINE_HOME } from './home.ts';
import { launchCline } from './launch.ts';
import { SESSION_STORE } from './sessions.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

/** A session can be resumed on a terminal only: `--id` is refused together with `--json` (3.0.65). */
const CAPABILITIES: AgentCapabilities = {
  ...NO_CAPABILITIES,
  canRunWithoutSession: true,
  sessionPersistence: 'file',
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  supportsThinking: true,
  supportsThinkingStreaming: true,
  thinkingEfforts: ['off', 'low', 'medium', 'high', 'xhigh'],
  supportsModelSelection: true,
  systemPrompt: { replace: 'native', append: 'prefix' },
  supportsImageInput: true,
  supportsFileAttachments: true,
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsMCP: true,
  supportsInterrupt: true,
  approvalModes: ['plan', 'deny', 'yolo'],
  reportsUsage: true,
  supportedPlatforms: ['darwin', 'linux'],
};

const MODES: readonly AgentMode[] = [
  {
    name: 'json',
    driver: 'oneshot',
    outputFormat: 'jsonl',
    summary: 'a process and a session per run; nobody can be asked, so that tools run all or not at all',
    capabilities: CAPABILITIES,
  },
];

const INSTALL: readonly InstallMethod[] = [{ type: 'npm', platforms: 'all', command: 'npm install -g cline' }];

const AUTH_CHECKS: readonly AuthCheck[] = [
  { env: 'CLINE_API_KEY', method: 'api_key' },
  { file: `${CLINE_DATA}/settings/providers.json`, key: 'providers', method: 'config_file' },
];

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: ['Run `cline auth`, and choose an account or a provider with a key.'],
  methods: [
    { type: 'browser_login', name: 'Cline account', command: 'cline auth' },
    { type: 'api_key', name: 'Own provider', command: 'cline auth -p PROVIDER -k KEY -m MODEL' },
  ],
  docsUrl: 'https://docs.cline.bot',
};

/** It reads those of `.agents` too. Its plugins it can install, but not list (3.0.65). */
const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${CLINE_HOME}/skills`, project: '.cline/skills' },
};

/** The Cline CLI. It keeps the model that a run was given as the one of its next runs, whoever starts them. */
export class ClineAdapter extends BaseAgentAdapter {
  readonly agent = 'cline';
  readonly displayName = 'Cline';
  readonly cliCommand = 'cline';
  override readonly provenVersions = ['3.0.65'];
  override readonly modes = MODES;
  override readonly toolKinds = TOOL_KINDS;
  override readonly installMethods = INSTALL;
  override readonly envAllowList = ['CLINE_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'];
  override readonly hostEnvSignals = ['CLINE_CONNECTOR_CLI_LAUNCH'];
  override readonly configSchema: AgentConfigSchema = CONFIG_SCHEMA;
  override readonly sessionStore = SESSION_STORE;
  override readonly extensionFolders = EXTENSION_FOLDERS;
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchCline(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody[] | null {
    return parseClineLine(line, context);
  }
}
