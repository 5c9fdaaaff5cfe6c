import { defineAdapter } from '@agent-mux/core';
import { familyAuthChecks, familyHooks, familySpec, KILO_DIALECT, PROVIDER_KEYS } from '../opencode-family/index.ts';
import { VERIFIED_RELEASES } from '../verified-releases.ts';

const CONFIG = '{XDG_CONFIG_HOME:-~/.config}/kilo';

/** Kilo Code's CLI, based on opencode. */
export const kiloAdapter = defineAdapter({
  ...familySpec(KILO_DIALECT, {
    folder: 'kilo',
    config: ['kilo.json', 'kilo.jsonc', 'opencode.json', 'opencode.jsonc'],
    project: ['kilo.json', 'kilo.jsonc', 'opencode.json', 'opencode.jsonc', '.kilo/kilo.json', '.kilo/kilo.jsonc'],
  }),
  verifiedVersions: VERIFIED_RELEASES.kilo,
  minVersion: VERIFIED_RELEASES.kilo[0],
  installMethods: [{ type: 'npm', platforms: 'all', command: 'npm install -g @kilocode/cli' }],
  envAllowList: ['KILO_*', ...PROVIDER_KEYS],
  // Environment of a tool shell of 7.7.7, in addition to opencode's.
  hostEnvSignals: ['KILO', 'KILO_PID', 'KILO_RUN_ID', 'KILO_PROCESS_ROLE', 'KILOCODE_VERSION', 'KILOCODE_FEATURE'],
  authChecks: familyAuthChecks('kilo', 'kilo', ['KILO_API_KEY']),
  authGuidance: {
    steps: ['Run `kilo auth login` once, or set KILO_API_KEY or the key variable of a provider.'],
    methods: [
      { type: 'config_file', name: 'Stored key or login', command: 'kilo auth login' },
      { type: 'api_key', name: 'Kilo Gateway', envVars: ['KILO_API_KEY'] },
      { type: 'api_key', name: 'API key of a provider', envVars: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'] },
    ],
    docsUrl: 'https://kilo.ai/docs',
  },
  hooks: familyHooks(KILO_DIALECT, '.kilo'),
  extensionFolders: {
    skills: { global: `${CONFIG}/skills`, project: '.kilo/skills' },
    subagents: { global: `${CONFIG}/agents`, project: '.kilo/agents' },
  },
});
