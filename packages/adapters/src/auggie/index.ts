import { flag } from '@agent-mux/core';
import { type AgentSheet, acpMode, DocumentedAdapter } from '../documented/index.ts';
import { CONFIG_SCHEMA } from './config.ts';

const AUGGIE: AgentSheet = {
  agent: 'auggie',
  displayName: 'Auggie',
  cliCommand: 'auggie',
  documentedBy: ['docs.augmentcode.com: ACP Mode, Tool Permissions, Integrations, Skills', 'auggie 0.36.0 --help'],
  modes: [
    acpMode(
      {
        supportsModelSelection: true,
        // `ask-user` is documented for the interactive CLI alone: that it asks over ACP is nowhere said.
        approvalModes: ['plan', 'yolo'],
      },
      {},
      '; whether it asks there is not documented',
    ),
  ],
  install: [{ type: 'npm', platforms: 'all', command: 'npm install -g @augmentcode/auggie' }],
  env: ['AUGMENT_*'],
  login: {
    checks: [
      { env: 'AUGMENT_SESSION_AUTH', method: 'api_key' },
      { file: '~/.augment/session.json', method: 'oauth' },
    ],
    steps: ['Run `auggie login`, or set AUGMENT_SESSION_AUTH.'],
    methods: [
      { type: 'browser_login', name: 'Augment account', command: 'auggie login' },
      { type: 'api_key', name: 'Augment session', envVars: ['AUGMENT_SESSION_AUTH'] },
    ],
    docsUrl: 'https://docs.augmentcode.com/cli',
  },
  config: CONFIG_SCHEMA,
  extensions: { skills: { global: '~/.augment/skills', project: '.augment/skills' } },
  // `--ask`: retrieval and other tools that edit nothing.
  launch: (options) => ({
    args: ['--acp', ...flag('--model', options.model), ...(options.approvalMode === 'plan' ? ['--ask'] : [])],
  }),
};

/** Augment Code's CLI. */
export class AuggieAdapter extends DocumentedAdapter {
  constructor() {
    super(AUGGIE);
  }
}
