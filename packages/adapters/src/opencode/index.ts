import type { AuthCheck, AuthSetupGuidance, ExtensionFolders, InstallMethod } from '@agent-mux/core';
import {
  FamilyAdapter,
  type FamilyFiles,
  familyAuthChecks,
  OPENCODE_DIALECT,
  PROVIDER_KEYS,
} from '../opencode-family/index.ts';

const INSTALL: readonly InstallMethod[] = [
  { type: 'npm', platforms: 'all', command: 'npm install -g opencode-ai' },
  {
    type: 'curl',
    platforms: ['darwin', 'linux'],
    command: 'curl -fsSL https://opencode.ai/install | bash',
    update: 'opencode upgrade --method curl',
    uninstall: 'opencode uninstall --force --keep-config --keep-data',
  },
  { type: 'brew', platforms: ['darwin', 'linux'], command: 'brew install anomalyco/tap/opencode' },
];

const OPENCODE_AUTH_CHECKS: readonly AuthCheck[] = familyAuthChecks('opencode', 'opencode', ['OPENCODE_API_KEY']);

const OPENCODE_AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: ['Run `opencode auth login` once and choose a provider, or set the key variable of one.'],
  methods: [
    { type: 'config_file', name: 'Stored key or login', command: 'opencode auth login' },
    { type: 'api_key', name: 'API key of a provider', envVars: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'] },
  ],
  docsUrl: 'https://opencode.ai/docs',
};

/** What a tool shell of 1.18.33 has. `AGENT` is set too, but says nothing about whose. */
const OPENCODE_HOST_SIGNALS: readonly string[] = ['OPENCODE', 'OPENCODE_PID'];

const CONFIG = '{XDG_CONFIG_HOME:-~/.config}/opencode';

const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${CONFIG}/skills`, project: '.opencode/skills' },
  subagents: { global: `${CONFIG}/agents`, project: '.opencode/agents' },
};

/** OpenCode. */
export class OpenCodeAdapter extends FamilyAdapter {
  override readonly provenVersions = ['1.18.33'];
  override readonly installMethods = INSTALL;
  override readonly envAllowList = ['OPENCODE_*', ...PROVIDER_KEYS];
  override readonly hostEnvSignals = OPENCODE_HOST_SIGNALS;
  protected override readonly authChecks = OPENCODE_AUTH_CHECKS;
  protected override readonly authGuidance = OPENCODE_AUTH_GUIDANCE;
  override readonly extensionFolders = EXTENSION_FOLDERS;
  protected readonly files: FamilyFiles = {
    folder: 'opencode',
    config: ['opencode.json', 'opencode.jsonc'],
    project: ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
  };

  constructor() {
    super(OPENCODE_DIALECT);
  }
}
