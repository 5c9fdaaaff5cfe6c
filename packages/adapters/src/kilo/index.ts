import type { AuthCheck, AuthSetupGuidance, ExtensionFolders, InstallMethod } from '@agent-mux/core';
import {
  FamilyAdapter,
  type FamilyFiles,
  familyAuthChecks,
  KILO_DIALECT,
  PROVIDER_KEYS,
} from '../opencode-family/index.ts';

const INSTALL: readonly InstallMethod[] = [{ type: 'npm', platforms: 'all', command: 'npm install -g @kilocode/cli' }];

const AUTH_CHECKS: readonly AuthCheck[] = familyAuthChecks('kilo', 'kilo', ['KILO_API_KEY']);

const AUTH_GUIDANCE: Omit<AuthSetupGuidance, 'agent'> = {
  steps: ['Run `kilo auth login` once, or set KILO_API_KEY or the key variable of a provider.'],
  methods: [
    { type: 'config_file', name: 'Stored key or login', command: 'kilo auth login' },
    { type: 'api_key', name: 'Kilo Gateway', envVars: ['KILO_API_KEY'] },
    { type: 'api_key', name: 'API key of a provider', envVars: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'] },
  ],
  docsUrl: 'https://kilo.ai/docs',
};

/** What a tool shell of 7.7.7 has, beside opencode's. */
const HOST_SIGNALS: readonly string[] = [
  'KILO',
  'KILO_PID',
  'KILO_RUN_ID',
  'KILO_PROCESS_ROLE',
  'KILOCODE_VERSION',
  'KILOCODE_FEATURE',
];

const CONFIG = '{XDG_CONFIG_HOME:-~/.config}/kilo';

const EXTENSION_FOLDERS: ExtensionFolders = {
  skills: { global: `${CONFIG}/skills`, project: '.kilo/skills' },
  subagents: { global: `${CONFIG}/agents`, project: '.kilo/agents' },
};

/** Kilo Code's CLI, made from opencode. */
export class KiloAdapter extends FamilyAdapter {
  override readonly provenVersions = ['7.7.7'];
  override readonly installMethods = INSTALL;
  override readonly envAllowList = ['KILO_*', ...PROVIDER_KEYS];
  override readonly hostEnvSignals = HOST_SIGNALS;
  protected override readonly authChecks = AUTH_CHECKS;
  protected override readonly authGuidance = AUTH_GUIDANCE;
  override readonly extensionFolders = EXTENSION_FOLDERS;
  protected readonly files: FamilyFiles = {
    folder: 'kilo',
    config: ['kilo.json', 'kilo.jsonc', 'opencode.json', 'opencode.jsonc'],
    project: ['kilo.json', 'kilo.jsonc', 'opencode.json', 'opencode.jsonc', '.kilo/kilo.json', '.kilo/kilo.jsonc'],
  };

  constructor() {
    super(KILO_DIALECT);
  }
}
