import { defineAdapter } from '@agent-mux/core';
import { acpMode, KEPT_SESSIONS, STREAMED_THOUGHTS } from '../documented/index.ts';
import { AUTH_CHECKS, detectHermesAuth, KEYS } from './auth.ts';
import { CONFIG_SCHEMA, HERMES_HOME } from './config.ts';
import { SESSION_STORE } from './sessions.ts';

/** Nous Research's Hermes Agent. */
export const hermesAdapter = defineAdapter({
  agent: 'hermes',
  displayName: 'Hermes Agent',
  cliCommand: 'hermes',
  documentedBy: [
    'hermes-agent.nousresearch.com: CLI reference, ACP Host Integration, MCP Config Reference, Session Storage, Configuration',
    'github.com/NousResearch/hermes-agent: acp_adapter (config_options.py, edit_approval.py), hermes_state_common.py, cli-config.yaml.example',
  ],
  modes: [
    acpMode(
      {
        ...STREAMED_THOUGHTS,
        ...KEPT_SESSIONS,
        // In state.db, from which `session/load` restores them after a restart.
        sessionPersistence: 'sqlite',
        supportsModelSelection: true,
        supportsMCP: true,
        // It asks for edits and for commands that it considers dangerous; every other command runs without asking, so
        // no mode that promises to ask can be offered.
        approvalModes: ['yolo'],
      },
      { model: { by: 'config', configId: 'model' } },
      '; commands that it considers harmless run without asking',
    ),
  ],
  nativeModes: [],
  installMethods: [
    {
      type: 'pip',
      platforms: ['darwin', 'linux'],
      command: "pip install 'hermes-agent[acp]'",
      notes: 'needs Python 3.11 or newer',
    },
    {
      type: 'curl',
      platforms: ['darwin', 'linux'],
      command: 'curl -fsSL https://raw.githubusercontent.com/NousResearch/hermes-agent/main/scripts/install.sh | bash',
      update: 'hermes update',
      notes: "then, in ~/.hermes/hermes-agent, `uv pip install -e '.[acp]'`, which agent-mux needs",
    },
    {
      type: 'nix',
      platforms: ['darwin', 'linux'],
      command: 'nix profile install github:NousResearch/hermes-agent',
    },
  ],
  envAllowList: ['HERMES_*', 'OPENROUTER_*', 'OPENAI_*', 'ANTHROPIC_*', 'NOUS_*', 'GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  authChecks: AUTH_CHECKS,
  detectAuth: detectHermesAuth,
  authGuidance: {
    steps: ['Run `hermes model`, or put the key of your provider into ~/.hermes/.env.'],
    methods: [
      { type: 'config_file', name: 'model provider', command: 'hermes model' },
      { type: 'oauth', name: 'account of a provider', command: 'hermes auth' },
      { type: 'api_key', name: 'key of a provider', envVars: KEYS },
    ],
    docsUrl: 'https://hermes-agent.nousresearch.com/docs',
  },
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  extensionFolders: { skills: { global: `${HERMES_HOME}/skills` } },
  launch: () => ({ args: ['acp'] }),
});
