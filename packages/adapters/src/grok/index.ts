import {
  type AgentCapabilities,
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
import { GROK_ACP } from './dialect.ts';
import { LOGIN } from './errors.ts';
import { endGrok, parseGrokLine } from './events.ts';
import { launchGrok } from './launch.ts';

const COMMON: AgentCapabilities = {
  ...NO_CAPABILITIES,
  canResume: true,
  sessionPersistence: 'file',
  nativeSessionIds: true,
  resumeAttach: true,
  supportsMultiTurn: true,
  supportsTextStreaming: true,
  supportsThinking: true,
  supportsThinkingStreaming: true,
  thinkingEfforts: ['minimal', 'low', 'medium', 'high', 'xhigh'],
  supportsModelSelection: true,
  systemPrompt: { append: 'native', replace: 'native' },
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
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
      supportsMCP: true,
      approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
      supportsModelSwitch: true,
    },
    live: { transport: 'stdio', codec: acpCodec(GROK_ACP), sessionFirst: true },
  },
  {
    name: 'messages',
    driver: 'oneshot',
    summary: 'a process per turn; nobody can be asked: what the approval mode does not allow is denied by rules',
    capabilities: {
      ...COMMON,
      canFork: true,
      supportsToolInputStreaming: true,
      supportsDeniedTools: true,
      supportsMaxTurns: true,
      supportsStructuredOutput: true,
      approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
    },
  },
];

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g @xai-official/grok' },
];

const HOME = '{GROK_HOME:-~/.grok}';

const AUTH_CHECKS: readonly AuthCheck[] = [
  { env: 'XAI_API_KEY', method: 'api_key' },
  { env: 'GROK_CODE_XAI_API_KEY', method: 'api_key' },
  { file: `${HOME}/auth.json`, method: 'oauth' },
];

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: [LOGIN],
  methods: [
    { type: 'browser_login', name: 'xAI account', command: 'grok login' },
    { type: 'oauth_device', name: 'xAI account, from another device', command: 'grok login --device-auth' },
    { type: 'api_key', name: 'xAI API key', envVars: ['XAI_API_KEY'] },
  ],
};

/** xAI's Grok Build. */
export class GrokAdapter extends BaseAgentAdapter {
  readonly agent: string = 'grok';
  readonly displayName: string = 'Grok Build';
  readonly cliCommand: string = 'grok';
  override readonly provenVersions = ['1.0.41'];
  override readonly modes = MODES;
  override readonly installMethods = INSTALL;
  override readonly envAllowList: readonly string[] = ['GROK_*', 'XAI_API_KEY'];
  override readonly hostEnvSignals: readonly string[] = ['GROK_AGENT', 'GROK_SESSION_ID'];
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchGrok(options);
  }

  parseEvent(line: string, context: ParseContext): EventBody | EventBody[] | null {
    return parseGrokLine(line, context);
  }

  parseEnd(context: ParseContext, exit: { code: number | null }): EventBody[] {
    return endGrok(context, exit);
  }

  /** One folder per working directory, its path encoded as in a URL. */
  override sessionDir(cwd?: string): string {
    const root = expandPath(`${HOME}/sessions`);
    return cwd === undefined ? root : `${root}/${encodeURIComponent(cwd)}`;
  }
}
