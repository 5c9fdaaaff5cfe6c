import { type AgentCapabilities, defineAdapter, NO_CAPABILITIES } from '@agent-mux/core';
import { acpCodec } from '../acp/codec.ts';
import { envKeys } from '../shared/env-keys.ts';
import { VERIFIED_RELEASES } from '../verified-releases.ts';
import { CONFIG_FILE, CONFIG_SCHEMA, SECRETS_FILE } from './config.ts';
import { GOOSE_ACP } from './dialect.ts';
import { parseGooseLine } from './events.ts';
import { HOOKS } from './hooks.ts';
import { launchGoose } from './launch.ts';
import { SESSION_STORE } from './sessions.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

const COMMON: AgentCapabilities = {
  ...NO_CAPABILITIES,
  canResume: true,
  supportsMultiTurn: true,
  sessionPersistence: 'sqlite',
  nativeSessionIds: true,
  resumeAttach: true,
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  supportsThinking: true,
  supportsThinkingStreaming: true,
  supportsModelSelection: true,
  systemPrompt: { append: 'prefix' },
  supportsNativeTools: true,
  supportsParallelToolCalls: true,
  supportsInterrupt: true,
};

/** Providers with a known environment variable; there are many more, each with its own. */
const PROVIDER_KEYS: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'AZURE_OPENAI_API_KEY',
  'GOOGLE_API_KEY',
  'GROQ_API_KEY',
  'LITELLM_API_KEY',
  'OPENAI_API_KEY',
  'OPENROUTER_API_KEY',
  'XAI_API_KEY',
];

/** The goose CLI. */
export const gooseAdapter = defineAdapter({
  agent: 'goose',
  displayName: 'goose',
  cliCommand: 'goose',
  verifiedVersions: VERIFIED_RELEASES.goose,
  minVersion: VERIFIED_RELEASES.goose[0],
  modes: [
    {
      name: 'acp',
      driver: 'acp',
      summary: 'one process, many turns, over the Agent Client Protocol; no tokens are reported',
      capabilities: {
        ...COMMON,
        canFork: true,
        execModel: 'interactive',
        supportsImageInput: true,
        supportsFileAttachments: true,
        supportsMCP: true,
        approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
        supportsModelSwitch: true,
        supportsModeSwitch: true,
      },
      live: { transport: 'stdio', codec: acpCodec(GOOSE_ACP), waitForSession: true },
      // It keeps running when its stdin is closed.
      turnEndIsFinal: true,
    },
    {
      name: 'run',
      driver: 'oneshot',
      outputFormat: 'jsonl',
      summary: 'a process per turn, the prompt on stdin; no approvals, so tools run all or not at all',
      capabilities: {
        ...COMMON,
        systemPrompt: { append: 'native', replace: 'native' },
        supportsMaxTurns: true,
        approvalModes: ['plan', 'deny', 'yolo'],
        reportsUsage: true,
      },
    },
  ],
  toolKinds: TOOL_KINDS,
  // The npm package `@aaif/goose` puts only `goose-tui` on the path.
  installMethods: [
    { type: 'brew', platforms: ['darwin', 'linux'], command: 'brew install block-goose-cli' },
    {
      type: 'curl',
      platforms: ['darwin', 'linux'],
      command:
        'curl -fsSL https://github.com/aaif-goose/goose/releases/download/stable/download_cli.sh | CONFIGURE=false bash',
      update: 'goose update',
      uninstall: 'rm ~/.local/bin/goose',
    },
    {
      type: 'manual',
      platforms: ['win32'],
      command: 'irm https://github.com/aaif-goose/goose/releases/download/stable/download_cli.ps1 | iex',
    },
  ],
  envAllowList: [
    'GOOSE_*',
    'OPENAI_*',
    'ANTHROPIC_*',
    'OLLAMA_*',
    'DATABRICKS_HOST',
    'AZURE_OPENAI_*',
    'CLAUDE_THINKING_*',
    'AWS_PROFILE',
    'AWS_REGION',
    'GCP_PROJECT_ID',
    'GCP_LOCATION',
    'GOOGLE_APPLICATION_CREDENTIALS',
    ...PROVIDER_KEYS,
  ],
  authChecks: [
    ...envKeys(PROVIDER_KEYS),
    { file: SECRETS_FILE, method: 'api_key', format: 'yaml' },
    { file: CONFIG_FILE, key: 'GOOSE_PROVIDER', method: 'config_file', format: 'yaml' },
    { unseen: 'keys may be in the system keychain' },
  ],
  authGuidance: {
    steps: ['Run `goose configure`, or set GOOSE_PROVIDER, GOOSE_MODEL and the key of the provider.'],
    methods: [
      { type: 'config_file', name: 'Provider of goose', command: 'goose configure' },
      { type: 'api_key', name: 'Provider key', envVars: ['GOOSE_PROVIDER', 'GOOSE_MODEL', ...PROVIDER_KEYS] },
    ],
  },
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  // Both are read, in addition to those that agents share.
  extensionFolders: {
    skills: { global: '{XDG_CONFIG_HOME:-~/.config}/goose/skills', project: '.goose/skills' },
    subagents: { global: '{XDG_CONFIG_HOME:-~/.config}/goose/agents', project: '.goose/agents' },
  },
  hooks: HOOKS,
  launch: launchGoose,
  parse: (line, context) => (context.options.mode === 'run' ? parseGooseLine(line, context) : null),
});
