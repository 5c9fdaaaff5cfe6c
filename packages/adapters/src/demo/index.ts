import { fileURLToPath } from 'node:url';
import {
  type AgentCapabilities,
  type AgentMode,
  type AuthState,
  BaseAgentAdapter,
  CapabilityError,
  type DetectInstallationResult,
  type EventBody,
  type InstallMethod,
  type ModelCapabilities,
  NO_CAPABILITIES,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
  type ToolKindTable,
} from '@agent-mux/core';
import { externalCodec } from '../generic/external/codec.ts';
import { DEFAULT_DEMO_MODEL, DEMO_MODELS } from './models.ts';
import { SESSION_STORE } from './sessions.ts';

const CAPABILITIES: AgentCapabilities = {
  ...NO_CAPABILITIES,
  canResume: true,
  canFork: true,
  canRunWithoutSession: true,
  supportsMultiTurn: true,
  sessionPersistence: 'file',
  nativeSessionIds: true,
  resumeAttach: true,
  execModel: 'interactive',
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  contextWindow: 100_000,
  supportsThinkingStreaming: true,
  supportsThinking: true,
  supportsModelSelection: true,
  supportsImageInput: true,
  supportsFileAttachments: true,
  supportsNativeTools: true,
  approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
  supportsQuestions: true,
  supportsInterrupt: true,
  reportsUsage: true,
  reportsCost: true,
};

/** The sibling in the same form as this file: TypeScript in the sources, JavaScript once built. */
const AGENT_FILE = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './agent.ts' : './agent.js', import.meta.url),
);

/** A scripted agent that is always there: no install, no account, no model. What it does is real: files, approvals, sessions. */
export class DemoAdapter extends BaseAgentAdapter {
  override readonly sessionStore = SESSION_STORE;
  readonly agent = 'demo';
  readonly displayName = 'Demo agent';
  readonly cliCommand = process.execPath;
  override readonly needsNoInstall = true;
  override readonly envAllowList: readonly string[] = ['DEMO_SPEED'];
  override readonly installMethods: readonly InstallMethod[] = [
    { type: 'built-in', platforms: 'all', command: '', notes: 'part of agent-mux' },
  ];
  override readonly defaultModelId: string = DEFAULT_DEMO_MODEL;
  override readonly models: readonly ModelCapabilities[] = DEMO_MODELS.map((model) => ({
    ...model,
    maxOutputTokens: null,
    supportsThinking: true,
    supportsImageInput: true,
  }));
  // A process of its own for every run, although the protocol could share it: `fail crash` must not end the others.
  override readonly modes: readonly AgentMode[] = [
    {
      name: 'live',
      driver: 'live',
      summary: 'a scripted process, JSON lines',
      capabilities: CAPABILITIES,
      live: { transport: 'stdio', codec: externalCodec, sessionFirst: false },
    },
  ];
  override readonly toolKinds: ToolKindTable = {
    list_folder: 'read',
    read_file: 'read',
    run_command: 'execute',
    write_file: 'edit',
  };
  protected override readonly authGuidance = {
    steps: ['Nothing to do: the demo agent needs no account.'],
    methods: [{ type: 'none', name: 'no login' }],
  } as const;

  override async detectAuth(): Promise<AuthState> {
    return { status: 'authenticated', method: 'none' };
  }

  async detectInstallation(): Promise<DetectInstallationResult> {
    return { installed: true, path: process.execPath, notes: 'built in' };
  }

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    if (options.invocation.mode !== 'local') throw refusal('invocation', 'runs on this machine only');
    if (options.nativePermissionMode !== undefined) {
      throw refusal('nativePermissionMode', 'has no permission modes of its own');
    }
    // Node 22 warns on stderr when it runs TypeScript.
    const args = ['--disable-warning=ExperimentalWarning', AGENT_FILE];
    return { command: process.execPath, args, env: this.buildEnvFromOptions(options), cwd: options.cwd, usePty: false };
  }

  parseEvent(line: string, context: ParseContext): EventBody {
    return { type: 'log', source: context.source, line };
  }
}

function refusal(option: string, problem: string): CapabilityError {
  return new CapabilityError('demo', option, `the demo agent ${problem} (option ${option})`);
}
