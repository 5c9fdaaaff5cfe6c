import { type AgentSheet, acpMode, DocumentedAdapter, STREAMED_THOUGHTS } from '../documented/index.ts';

const HERMES: AgentSheet = {
  agent: 'hermes',
  displayName: 'Hermes Agent',
  cliCommand: 'hermes',
  documentedBy: [
    'hermes-agent.nousresearch.com: CLI reference, ACP Host Integration',
    'github.com/NousResearch/hermes-agent: acp_adapter (config_options.py, edit_approval.py)',
  ],
  modes: [
    acpMode(
      {
        ...STREAMED_THOUGHTS,
        supportsModelSelection: true,
        supportsMCP: true,
        // It asks for edits and for commands that it takes for dangerous; every other command runs unasked, so no mode
        // that promises to ask can be offered. Its sessions do not outlive the ACP server.
        approvalModes: ['yolo'],
      },
      { model: { by: 'config', configId: 'model' } },
      '; commands that it takes for harmless run without asking',
    ),
  ],
  install: [
    {
      type: 'manual',
      platforms: 'all',
      command: "uv pip install -e '.[acp]'",
      notes: 'in the checkout that the installer of Hermes Agent leaves in ~/.hermes/hermes-agent',
    },
  ],
  env: ['HERMES_*', 'OPENROUTER_*', 'OPENAI_*', 'ANTHROPIC_*', 'NOUS_*'],
  login: {
    checks: [
      { env: 'OPENROUTER_API_KEY', method: 'api_key' },
      { unseen: 'providers and keys stand in ~/.hermes/config.yaml and ~/.hermes/.env' },
    ],
    steps: ['Run `hermes model`, or put the key of your provider into ~/.hermes/.env.'],
    methods: [{ type: 'config_file', name: 'model provider', command: 'hermes model' }],
  },
  launch: () => ({ args: ['acp'] }),
};

/** Nous Research's Hermes Agent. */
export class HermesAdapter extends DocumentedAdapter {
  constructor() {
    super(HERMES);
  }
}
