import { join } from 'node:path';
import {
  type AgentCapabilities,
  type AgentMode,
  APPROVAL_MODES,
  BaseAgentAdapter,
  type EventBody,
  type Limitation,
  type ModelCapabilities,
  NO_CAPABILITIES,
  type ResolvedRunOptions,
  type SpawnArgs,
  type StdioLive,
  THINKING_EFFORTS,
  type ToolKindTable,
} from '@agent-mux/core';
import { decodeFakeLine } from './decode.ts';
import { fakeLiveCodec } from './live-codec.ts';
import { fakeAgent, fakeAgentPath, MAX_ARGUMENT_BYTES, varArguments } from './spawn.ts';
import type { Step } from './steps.ts';

export interface FakeAdapterOptions {
  steps: readonly Step[];
  /** The default mode; both exist. Without it: `live` if the script has such a step. */
  mode?: 'oneshot' | 'live';
  /** In addition to the capabilities of each mode. */
  capabilities?: Partial<AgentCapabilities>;
  limitations?: readonly Limitation[];
  /** Default `fake`. */
  agent?: string;
  /** Default true: the codec greets the agent, and the first turn waits for its `session_start`. */
  waitForSession?: boolean;
  live?: Pick<StdioLive, 'eofAfterPrompt'>;
  /** In `live`: this much silence ends a turn. */
  quietMs?: number;
  turnEndIsFinal?: boolean;
  /** Makes it an agent that must be found and queried for its version: the steps of that process. */
  versionSteps?: readonly Step[];
  envAllowList?: readonly string[];
  toolKinds?: ToolKindTable;
}

const ONESHOT_CAPABILITIES: AgentCapabilities = {
  ...NO_CAPABILITIES,
  canResume: true,
  canFork: true,
  canRunWithoutSession: true,
  supportsMultiTurn: true,
  sessionPersistence: 'memory',
  nativeSessionIds: true,
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  supportsThinkingStreaming: true,
  supportsToolInputStreaming: true,
  supportsModelSelection: true,
  supportsThinking: true,
  thinkingEfforts: THINKING_EFFORTS,
  supportsThinkingBudgetTokens: true,
  supportsThinkingOverride: true,
  systemPrompt: { append: 'native', prepend: 'native', replace: 'native' },
  supportsImageInput: true,
  supportsFileAttachments: true,
  supportsStructuredOutput: true,
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsMCP: true,
  supportsAllowedTools: true,
  supportsDeniedTools: true,
  supportsAddDirs: true,
  supportsMaxTurns: true,
  supportsSkills: true,
  supportsSubagents: true,
  approvalModes: APPROVAL_MODES,
  supportsInterrupt: true,
  reportsUsage: true,
  reportsCost: true,
  reportsRateLimits: true,
};

const LIVE_CAPABILITIES: AgentCapabilities = {
  ...ONESHOT_CAPABILITIES,
  resumeAttach: true,
  execModel: 'interactive',
  supportsQuestions: true,
  supportsSteer: true,
  supportsModelSwitch: true,
  supportsModeSwitch: true,
};

/** Drives a fake agent: a real process that runs its script, with nearly everything allowed. */
export class FakeAdapter extends BaseAgentAdapter {
  readonly agent: string;
  readonly displayName = 'Fake agent';
  readonly cliCommand = process.execPath;
  override readonly modes: readonly AgentMode[];
  override readonly models: readonly ModelCapabilities[] = [
    { id: 'fake-model', contextWindow: null, maxOutputTokens: null, supportsThinking: true, supportsImageInput: true },
  ];
  override readonly needsNoInstall: boolean;
  override readonly versionArgs: readonly string[] | undefined;
  override readonly envAllowList: readonly string[];
  override readonly toolKinds: ToolKindTable;
  readonly #steps: readonly Step[];

  constructor(options: FakeAdapterOptions) {
    super();
    this.#steps = options.steps;
    this.agent = options.agent ?? 'fake';
    this.needsNoInstall = options.versionSteps === undefined;
    this.versionArgs = options.versionSteps && fakeAgent(options.versionSteps).args;
    this.envAllowList = options.envAllowList ?? ['FAKE_AGENT_*'];
    this.toolKinds = options.toolKinds ?? {};
    const oneshot: AgentMode = {
      name: 'oneshot',
      driver: 'oneshot',
      summary: 'A process per turn; the prompt is its stdin, its lines are events.',
      capabilities: { ...ONESHOT_CAPABILITIES, ...options.capabilities },
      limitations: options.limitations ?? [],
      turnEndIsFinal: options.turnEndIsFinal ?? false,
    };
    const waitForSession = options.waitForSession ?? true;
    const live: AgentMode = {
      name: 'live',
      driver: 'live',
      summary: 'One process, many turns, JSON lines both ways.',
      capabilities: { ...LIVE_CAPABILITIES, ...options.capabilities },
      limitations: options.limitations ?? [],
      live: {
        transport: 'stdio',
        codec: fakeLiveCodec(waitForSession, options.quietMs),
        waitForSession,
        ...options.live,
      },
    };
    const mode = options.mode ?? (options.steps.some((step) => step.do === 'live') ? 'live' : 'oneshot');
    this.modes = mode === 'live' ? [live, oneshot] : [oneshot, live];
  }

  /** A script that is too long for a command line becomes a helper file. */
  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    const script = JSON.stringify(this.#steps);
    const inFile = Buffer.byteLength(script) > MAX_ARGUMENT_BYTES;
    const source = inFile ? ['--script-file', join(options.scratchDir, 'script.json')] : ['--script', script];
    const session = this.resolveSessionId(options) ?? `fake-${options.runId}`;
    const vars = { session, ...(options.model === undefined ? {} : { model: options.model }) };
    return {
      command: process.execPath,
      args: [fakeAgentPath(), ...source, ...varArguments(vars)],
      env: this.buildEnvFromOptions(options),
      cwd: options.cwd,
      usePty: false,
      ...(options.mode === 'oneshot' ? { stdin: options.prompt } : {}),
      ...(inFile ? { files: { 'script.json': script } } : {}),
    };
  }

  parseEvent(line: string): EventBody | null {
    return decodeFakeLine(line);
  }
}
