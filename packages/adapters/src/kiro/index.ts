import { type AgentSheet, acpMode, DocumentedAdapter, KEPT_SESSIONS, textLine, textMode } from '../documented/index.ts';
import { CONFIG_SCHEMA, KIRO_HOME } from './config.ts';

const KIRO: AgentSheet = {
  agent: 'kiro',
  displayName: 'Kiro CLI',
  cliCommand: 'kiro-cli',
  documentedBy: [
    'kiro.dev: CLI ACP, Headless mode, CLI commands, Managing tool permissions, Settings, MCP Configuration, Agent Skills',
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
    textMode('chat', { approvalModes: ['yolo'] }, '; nobody can be asked, so all tools are trusted'),
  ],
  nativeModes: ['acp'],
  install: [
    { type: 'curl', platforms: ['darwin', 'linux'], command: 'curl -fsSL https://cli.kiro.dev/install | bash' },
  ],
  env: ['KIRO_*'],
  hostSignals: ['KIRO_SESSION_ID'],
  login: {
    checks: [{ env: 'KIRO_API_KEY', method: 'api_key' }, { unseen: 'a login is kept where only the CLI looks for it' }],
    steps: ['Run `kiro-cli login`, or set KIRO_API_KEY.'],
    methods: [
      { type: 'browser_login', name: 'Kiro account', command: 'kiro-cli login' },
      { type: 'api_key', name: 'Kiro API key', envVars: ['KIRO_API_KEY'] },
    ],
    docsUrl: 'https://kiro.dev/docs/cli',
  },
  config: CONFIG_SCHEMA,
  // Three engines keep three kinds of sessions, and none is described.
  extensions: { skills: { global: `${KIRO_HOME}/skills`, project: '.kiro/skills' } },
  launch: (options) =>
    options.mode === 'acp'
      ? { args: ['acp'] }
      : { args: ['chat', '--no-interactive', '--trust-all-tools'], stdin: options.prompt },
  parse: textLine,
};

/** AWS's Kiro, in its terminal form. */
export class KiroAdapter extends DocumentedAdapter {
  constructor() {
    super(KIRO);
  }
}
