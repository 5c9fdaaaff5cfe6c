import {
  type ApprovalMode,
  defineAdapter,
  flag,
  flagEach,
  type LaunchArgs,
  type ResolvedRunOptions,
} from '@agent-mux/core';
import { acpMode, KEPT_SESSIONS, promptArgument, STREAMED_THOUGHTS, streamMode } from '../documented/index.ts';
import { dotenvKeys } from '../shared/dotenv-keys.ts';
import { ignoreStderr } from '../shared/ignore-stderr.ts';
import { CONFIG_SCHEMA, VIBE_HOME } from './config.ts';
import { parseVibeLine } from './events.ts';
import { MODELS } from './models.ts';
import { SESSION_STORE } from './sessions.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

/** Its agents are its permission modes. Without a user, requests are skipped: `deny` is the default agent. */
const AGENTS: Readonly<Record<ApprovalMode, string>> = {
  prompt: 'default',
  'accept-edits': 'accept-edits',
  plan: 'plan',
  deny: 'default',
  yolo: 'auto-approve',
};

/** Mistral's coding agent. */
export const vibeAdapter = defineAdapter({
  agent: 'vibe',
  displayName: 'Mistral Vibe',
  cliCommand: 'vibe',
  documentedBy: [
    'github.com/mistralai/mistral-vibe ac8f1a0: README.md, docs/acp-setup.md, vibe/cli/entrypoint.py, vibe/acp, vibe/core/agents/models.py, vibe/core/config, vibe/core/session',
  ],
  toolKinds: TOOL_KINDS,
  modes: [
    acpMode(
      {
        ...KEPT_SESSIONS,
        ...STREAMED_THOUGHTS,
        canFork: true,
        supportsModelSelection: true,
        supportsImageInput: true,
        approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
        supportsModelSwitch: true,
        supportsModeSwitch: true,
        reportsUsage: true,
      },
      { modes: AGENTS, model: { by: 'set_model' }, usage: 'session' },
    ),
    {
      ...streamMode('programmatic', {
        supportsThinking: true,
        supportsAddDirs: true,
        approvalModes: ['accept-edits', 'plan', 'deny', 'yolo'],
      }),
      promptDelivery: 'argv',
    },
  ],
  nativeModes: ['acp', 'programmatic'],
  models: MODELS,
  // The first one is the default of the CLI.
  defaultModelId: MODELS[0]?.id,
  installMethods: [
    { type: 'curl', platforms: ['darwin', 'linux'], command: 'curl -LsSf https://mistral.ai/vibe/install.sh | bash' },
    { type: 'pip', platforms: 'all', command: 'pip install mistral-vibe' },
  ],
  envAllowList: ['VIBE_*', 'MISTRAL_*'],
  authChecks: [{ env: 'MISTRAL_API_KEY', method: 'api_key' }, ...dotenvKeys(`${VIBE_HOME}/.env`, ['MISTRAL_API_KEY'])],
  authGuidance: {
    steps: ['Run `vibe --setup`, or set MISTRAL_API_KEY.'],
    methods: [
      { type: 'config_file', name: 'key in ~/.vibe/.env', command: 'vibe --setup' },
      { type: 'api_key', name: 'Mistral API key', envVars: ['MISTRAL_API_KEY'] },
    ],
    docsUrl: 'https://docs.mistral.ai/mistral-vibe/introduction',
  },
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  extensionFolders: { skills: { global: `${VIBE_HOME}/skills`, project: '.vibe/skills' } },
  launch,
  parse: ignoreStderr(parseVibeLine),
});

function launch(options: ResolvedRunOptions): LaunchArgs {
  if (options.mode === 'acp') return { command: 'vibe-acp', args: [] };
  return {
    args: [
      '--output',
      'streaming',
      ...flag('--agent', options.nativePermissionMode ?? AGENTS[options.approvalMode]),
      ...flagEach('--add-dir', options.addDirs),
      promptArgument('--prompt', options),
    ],
  };
}
