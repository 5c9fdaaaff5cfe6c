import { defineAdapter } from '@agent-mux/core';
import { acpMode, KEPT_SESSIONS, STREAMED_THOUGHTS } from '../documented/index.ts';

/** Autohand's code CLI. */
export const autohandAdapter = defineAdapter({
  agent: 'autohand',
  displayName: 'Autohand Code',
  cliCommand: 'autohand',
  documentedBy: ['github.com/autohandai/code-cli d24c4e6: docs/guides/ACP.md, src/modes/acp, README.md'],
  modes: [
    acpMode(
      {
        ...KEPT_SESSIONS,
        ...STREAMED_THOUGHTS,
        canFork: true,
        supportsModelSelection: true,
        supportsImageInput: true,
        supportsMCP: true,
        approvalModes: ['prompt', 'plan', 'deny', 'yolo'],
        supportsModeSwitch: true,
      },
      {
        // `dry-run` and `restricted` refuse anything that would change something.
        modes: { prompt: 'interactive', plan: 'dry-run', deny: 'restricted', yolo: 'unrestricted' },
        model: { by: 'config', configId: 'model' },
      },
    ),
  ],
  nativeModes: ['acp'],
  installMethods: [
    { type: 'curl', platforms: ['darwin', 'linux'], command: 'curl -fsSL https://autohand.ai/install.sh | bash' },
    { type: 'npm', platforms: 'all', command: 'npm install -g autohand-cli' },
  ],
  envAllowList: ['AUTOHAND_*'],
  authChecks: [{ unseen: 'the provider and its key are in ~/.autohand/config.json, .toml or .yaml' }],
  authGuidance: {
    steps: ['Run `autohand --setup`, or `autohand --login`.'],
    methods: [
      { type: 'config_file', name: 'model provider', command: 'autohand --setup' },
      { type: 'browser_login', name: 'Autohand account', command: 'autohand --login' },
    ],
  },
  launch: () => ({ args: ['--acp'] }),
});
