import { fileURLToPath } from 'node:url';
import { type AgentCapabilities, CapabilityError, defineAdapter, NO_CAPABILITIES } from '@agent-mux/core';
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

/** The sibling module in the same form as this file: TypeScript in the sources, JavaScript once built. */
const AGENT_FILE = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './agent.ts' : './agent.js', import.meta.url),
);

/**
 * A scripted agent that is always available: no install, account or model. Its actions are real: files, approvals,
 * sessions.
 */
export const demoAdapter = defineAdapter({
  agent: 'demo',
  displayName: 'Demo agent',
  cliCommand: process.execPath,
  needsNoInstall: true,
  // A separate process for every run, although the protocol could share it: `fail crash` must not end the others.
  modes: [
    {
      name: 'live',
      driver: 'live',
      summary: 'a scripted process, JSON lines',
      capabilities: CAPABILITIES,
      live: { transport: 'stdio', codec: externalCodec, waitForSession: false },
    },
  ],
  toolKinds: {
    list_folder: 'read',
    read_file: 'read',
    run_command: 'execute',
    write_file: 'edit',
  },
  models: DEMO_MODELS.map((model) => ({
    ...model,
    maxOutputTokens: null,
    supportsThinking: true,
    supportsImageInput: true,
  })),
  defaultModelId: DEFAULT_DEMO_MODEL,
  installMethods: [{ type: 'built-in', platforms: 'all', command: '', notes: 'part of agent-mux' }],
  detectInstallation: async () => ({ installed: true, path: process.execPath, notes: 'built in' }),
  envAllowList: ['DEMO_SPEED'],
  authGuidance: {
    steps: ['Nothing to do: the demo agent needs no account.'],
    methods: [{ type: 'none', name: 'no login' }],
  },
  detectAuth: async () => ({ status: 'authenticated', method: 'none' }),
  sessionStore: SESSION_STORE,
  launch(options) {
    if (options.invocation.mode !== 'local') throw refusal('invocation', 'runs on this machine only');
    if (options.nativePermissionMode !== undefined) {
      throw refusal('nativePermissionMode', 'has no native permission modes');
    }
    // Node 22 warns on stderr when it runs TypeScript.
    const args = ['--disable-warning=ExperimentalWarning', AGENT_FILE];
    return { args, env: { ...options.env } };
  },
  parse: (line, { source }) => ({ type: 'log', source, line }),
});

function refusal(option: string, problem: string): CapabilityError {
  return new CapabilityError('demo', option, `the demo agent ${problem} (option ${option})`);
}
