import { type AgentSheet, DocumentedAdapter, textLine, textMode } from '../documented/index.ts';

const CRUSH: AgentSheet = {
  agent: 'crush',
  displayName: 'Crush',
  cliCommand: 'crush',
  documentedBy: ['github.com/charmbracelet/crush 37f36e9: README.md, internal/cmd/run.go'],
  modes: [
    textMode(
      'run',
      // `run` approves every tool call of its session itself.
      { supportsModelSelection: true, approvalModes: ['yolo'] },
      '; tools run without asking',
    ),
  ],
  install: [
    { type: 'brew', platforms: ['darwin', 'linux'], command: 'brew install charmbracelet/tap/crush' },
    { type: 'npm', platforms: 'all', command: 'npm install -g @charmland/crush' },
  ],
  env: ['CRUSH_*', 'ANTHROPIC_*', 'OPENAI_*', 'OPENROUTER_*', 'GEMINI_*', 'GROQ_*'],
  hostSignals: ['CRUSH'],
  login: {
    checks: [{ unseen: 'its providers and keys stand in crushrc or crush.json, which may compute them' }],
    steps: ['Run `crush` once and set up a provider.'],
    methods: [{ type: 'config_file', name: 'provider in crush.json', command: 'crush' }],
  },
  launch: (options) => ({
    args: ['run', '--quiet', ...(options.model ? ['--model', options.model] : [])],
    stdin: options.prompt,
  }),
  parse: textLine,
};

/** Charm's Crush. */
export class CrushAdapter extends DocumentedAdapter {
  constructor() {
    super(CRUSH);
  }
}
