import { defineAdapter } from '@agent-mux/core';
import {
  familyAuthChecks,
  familyHooks,
  familySpec,
  OPENCODE_DIALECT,
  PROVIDER_KEYS,
} from '../opencode-family/index.ts';
import { VERIFIED_RELEASES } from '../verified-releases.ts';

const CONFIG = '{XDG_CONFIG_HOME:-~/.config}/opencode';

/** OpenCode. */
export const openCodeAdapter = defineAdapter({
  ...familySpec(OPENCODE_DIALECT, {
    folder: 'opencode',
    config: ['opencode.json', 'opencode.jsonc'],
    project: ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
  }),
  verifiedVersions: VERIFIED_RELEASES.opencode,
  minVersion: VERIFIED_RELEASES.opencode[0],
  installMethods: [
    { type: 'npm', platforms: 'all', command: 'npm install -g opencode-ai' },
    {
      type: 'curl',
      platforms: ['darwin', 'linux'],
      command: 'curl -fsSL https://opencode.ai/install | bash',
      update: 'opencode upgrade --method curl',
      uninstall: 'opencode uninstall --force --keep-config --keep-data',
    },
    { type: 'brew', platforms: ['darwin', 'linux'], command: 'brew install anomalyco/tap/opencode' },
  ],
  envAllowList: ['OPENCODE_*', ...PROVIDER_KEYS],
  // Environment of a tool shell of 1.18.33. `AGENT` is set too, but does not name the agent.
  hostEnvSignals: ['OPENCODE', 'OPENCODE_PID'],
  authChecks: familyAuthChecks('opencode', 'opencode', ['OPENCODE_API_KEY']),
  authGuidance: {
    steps: ['Run `opencode auth login` once and choose a provider, or set the key variable of one.'],
    methods: [
      { type: 'config_file', name: 'Stored key or login', command: 'opencode auth login' },
      { type: 'api_key', name: 'API key of a provider', envVars: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'] },
    ],
    docsUrl: 'https://opencode.ai/docs',
  },
  hooks: familyHooks(OPENCODE_DIALECT, '.opencode'),
  extensionFolders: {
    skills: { global: `${CONFIG}/skills`, project: '.opencode/skills' },
    subagents: { global: `${CONFIG}/agents`, project: '.opencode/agents' },
  },
});
