import { defineAdapter } from '@agent-mux/core';
import { acpMode, KEPT_SESSIONS, textLine, textMode } from '../documented/index.ts';
import { ignoreStderr } from '../shared/ignore-stderr.ts';
import { CONFIG_SCHEMA, KIRO_HOME } from './config.ts';
import { HOOKS } from './hooks.ts';

/** AWS's Kiro, its terminal version. */
export const kiroAdapter = defineAdapter({
  agent: 'kiro',
  displayName: 'Kiro CLI',
  cliCommand: 'kiro-cli',
  documentedBy: [
    'kiro.dev: CLI ACP, Headless mode, CLI commands, Managing tool permissions, Settings, MCP Configuration, Agent Skills, Hooks (v3)',
    'zed.dev: ACP agent Kiro CLI',
  ],
  modes: [
    acpMode(
      {
        ...KEPT_SESSIONS,
        supportsModelSelection: true,
        supportsImageInput: true,
        supportsMCP: true,
        // Tools are confirmed one by one unless they are trusted. Its session modes are agents, not permissions.
        approvalModes: ['prompt', 'deny', 'yolo'],
      },
      { model: { by: 'set_model' } },
    ),
    textMode('chat', { approvalModes: ['yolo'] }, '; no approvals, so all tools are trusted'),
  ],
  nativeModes: ['acp'],
  installMethods: [
    { type: 'curl', platforms: ['darwin', 'linux'], command: 'curl -fsSL https://cli.kiro.dev/install | bash' },
  ],
  envAllowList: ['KIRO_*'],
  hostEnvSignals: ['KIRO_SESSION_ID'],
  authChecks: [
    { env: 'KIRO_API_KEY', method: 'api_key' },
    { unseen: 'the login is stored where only the CLI can read it' },
  ],
  authGuidance: {
    steps: ['Run `kiro-cli login`, or set KIRO_API_KEY.'],
    methods: [
      { type: 'browser_login', name: 'Kiro account', command: 'kiro-cli login' },
      { type: 'api_key', name: 'Kiro API key', envVars: ['KIRO_API_KEY'] },
    ],
    docsUrl: 'https://kiro.dev/docs/cli',
  },
  configSchema: CONFIG_SCHEMA,
  // Three engines store three kinds of sessions, none of them documented.
  extensionFolders: { skills: { global: `${KIRO_HOME}/skills`, project: '.kiro/skills' } },
  hooks: HOOKS,
  launch: (options) =>
    options.mode === 'acp'
      ? { args: ['acp'] }
      : { args: ['chat', '--no-interactive', '--trust-all-tools'], stdin: options.prompt },
  parse: ignoreStderr(textLine),
});
