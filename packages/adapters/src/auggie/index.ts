import { defineAdapter, flag } from '@agent-mux/core';
import { acpMode } from '../documented/index.ts';
import { CONFIG_SCHEMA } from './config.ts';

/** Augment Code's CLI. */
export const auggieAdapter = defineAdapter({
  agent: 'auggie',
  displayName: 'Auggie',
  cliCommand: 'auggie',
  documentedBy: ['docs.augmentcode.com: ACP Mode, Tool Permissions, Integrations, Skills', 'auggie 0.36.0 --help'],
  modes: [
    acpMode(
      {
        supportsModelSelection: true,
        // `ask-user` is documented only for the interactive CLI, not for ACP.
        approvalModes: ['plan', 'yolo'],
      },
      {},
      '; approvals over ACP are not documented',
    ),
  ],
  nativeModes: [],
  installMethods: [{ type: 'npm', platforms: 'all', command: 'npm install -g @augmentcode/auggie' }],
  envAllowList: ['AUGMENT_*'],
  authChecks: [
    { env: 'AUGMENT_SESSION_AUTH', method: 'api_key' },
    { file: '~/.augment/session.json', method: 'oauth' },
  ],
  authGuidance: {
    steps: ['Run `auggie login`, or set AUGMENT_SESSION_AUTH.'],
    methods: [
      { type: 'browser_login', name: 'Augment account', command: 'auggie login' },
      { type: 'api_key', name: 'Augment session', envVars: ['AUGMENT_SESSION_AUTH'] },
    ],
    docsUrl: 'https://docs.augmentcode.com/cli',
  },
  configSchema: CONFIG_SCHEMA,
  extensionFolders: { skills: { global: '~/.augment/skills', project: '.augment/skills' } },
  // `--ask`: retrieval and other tools that edit nothing.
  launch: (options) => ({
    args: ['--acp', ...flag('--model', options.model), ...(options.approvalMode === 'plan' ? ['--ask'] : [])],
  }),
});
