import {
  type AgentCapabilities,
  type AgentConfigSchema,
  type AgentMode,
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
import { AUTH_CHECKS, AUTH_GUIDANCE } from './auth.ts';
import { CONFIG_SCHEMA } from './config.ts';
import { COPILOT_ACP } from './dialect.ts';
import { parseCopilotLine } from './events.ts';
import { launchCopilot } from './launch.ts';
import { MODEL_QUERY, MODELS } from './models.ts';
import { EXTENSION_FOLDERS, PLUGINS } from './plugins.ts';
import { SESSION_STORE } from './sessions.ts';
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
  supportsThinking: true,
  supportsThinkingStreaming: true,
  supportsModelSelection: true,
  systemPrompt: { append: 'prefix' },
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsMCP: true,
  supportsSkills: true,
  supportsInterrupt: true,
};

const MODES: readonly AgentMode[] = [
  {
    name: 'acp',
    driver: 'acp',
    summary: 'one process, many turns, over the Agent Client Protocol',
    // Its flags for tools, folders and effort have no effect here, that for plugins has (1.0.102).
    capabilities: {
      ...COMMON,
      execModel: 'interactive',
      supportsImageInput: true,
      approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
      reportsUsage: true,
    },
    live: { transport: 'stdio', codec: acpCodec(COPILOT_ACP), sessionFirst: true },
  },
  {
    name: 'json',
    driver: 'oneshot',
    outputFormat: 'jsonl',
    summary: 'a process per turn, the prompt on stdin; nobody can be asked and no tokens are reported',
    capabilities: {
      ...COMMON,
      thinkingEfforts: THINKING_EFFORTS,
      supportsToolInputStreaming: true,
      supportsAllowedTools: true,
      supportsDeniedTools: true,
      supportsAddDirs: true,
      approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
    },
  },
];

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g @github/copilot' },
  {
    type: 'curl',
    platforms: ['darwin', 'linux'],
    command: 'curl -fsSL https://gh.io/copilot-install | bash',
    update: 'copilot update',
  },
  { type: 'brew', platforms: ['darwin', 'linux'], command: 'brew install copilot-cli' },
  { type: 'winget', platforms: ['win32'], command: 'winget install --id GitHub.Copilot' },
];

/** GitHub's Copilot CLI; not the retired `gh` extension. */
export class CopilotAdapter extends BaseAgentAdapter {
  readonly agent: string = 'copilot';
  readonly displayName: string = 'GitHub Copilot CLI';
  readonly cliCommand: string = 'copilot';
  override readonly provenVersions = ['1.0.102'];
  override readonly modes = MODES;
  override readonly toolKinds = TOOL_KINDS;
  override readonly installMethods = INSTALL;
  override readonly envAllowList: readonly string[] = ['COPILOT_*', 'GH_TOKEN', 'GITHUB_TOKEN', 'GH_HOST'];
  override readonly hostEnvSignals = ['COPILOT_CLI', 'COPILOT_AGENT_SESSION_ID', 'COPILOT_CLI_BINARY_VERSION'];
  override readonly models = MODELS;
  override readonly modelQuery = MODEL_QUERY;
  override readonly sessionStore = SESSION_STORE;
  override readonly plugins = PLUGINS;
  override readonly extensionFolders = EXTENSION_FOLDERS;
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  override get configSchema(): AgentConfigSchema {
    return { ...CONFIG_SCHEMA, agent: this.agent };
  }

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchCopilot(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody[] | null {
    const events = parseCopilotLine(line, context);
    if (events?.some(({ type }) => type === 'auth_error' || type === 'error' || type === 'context_exceeded'))
      context.adapterState.failed = true;
    return events;
  }
}
