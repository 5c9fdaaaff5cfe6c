import { type AgentCapabilities, defineAdapter, NO_CAPABILITIES } from '@agent-mux/core';
import { VERIFIED_RELEASES } from '../verified-releases.ts';
import { CONFIG_SCHEMA } from './config.ts';
import { parseClineLine } from './events.ts';
import { CLINE_DATA, CLINE_HOME } from './home.ts';
import { HOOKS } from './hooks.ts';
import { launchCline } from './launch.ts';
import { SESSION_STORE } from './sessions.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

/** A session can be resumed only in a terminal: `--id` is refused together with `--json` (3.0.65). */
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

/** The Cline CLI. It uses the model of a run for all following runs of the user. */
export const clineAdapter = defineAdapter({
  agent: 'cline',
  displayName: 'Cline',
  cliCommand: 'cline',
  verifiedVersions: VERIFIED_RELEASES.cline,
  minVersion: VERIFIED_RELEASES.cline[0],
  modes: [
    {
      name: 'json',
      driver: 'oneshot',
      promptDelivery: 'argv',
      outputFormat: 'jsonl',
      summary: 'a process and a session per run; no approvals, so tools run all or not at all',
      capabilities: CAPABILITIES,
    },
  ],
  toolKinds: TOOL_KINDS,
  installMethods: [{ type: 'npm', platforms: 'all', command: 'npm install -g cline' }],
  envAllowList: ['CLINE_*', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY'],
  hostEnvSignals: ['CLINE_CONNECTOR_CLI_LAUNCH'],
  authChecks: [
    { env: 'CLINE_API_KEY', method: 'api_key' },
    { file: `${CLINE_DATA}/settings/providers.json`, key: 'providers', method: 'config_file' },
  ],
  authGuidance: {
    steps: ['Run `cline auth`, and choose an account or a provider with a key.'],
    methods: [
      { type: 'browser_login', name: 'Cline account', command: 'cline auth' },
      { type: 'api_key', name: 'Own provider', command: 'cline auth -p PROVIDER -k KEY -m MODEL' },
    ],
    docsUrl: 'https://docs.cline.bot',
  },
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  // It reads those of `.agents` too. It can install plugins, but not list them (3.0.65).
  extensionFolders: {
    skills: { global: `${CLINE_HOME}/skills`, project: '.cline/skills' },
  },
  hooks: HOOKS,
  launch: launchCline,
  parse: parseClineLine,
});
