import { flag } from '@agent-mux/core';
import { type AgentSheet, DocumentedAdapter, textLine, textMode } from '../documented/index.ts';
import { CONFIG_SCHEMA, SKILLS_FOLDER } from './config.ts';
import { SESSION_STORE } from './sessions.ts';

const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY', 'GROQ_API_KEY'];

const CRUSH: AgentSheet = {
  agent: 'crush',
  displayName: 'Crush',
  cliCommand: 'crush',
  documentedBy: [
    'github.com/charmbracelet/crush 37f36e9: README.md, internal/cmd/run.go, internal/config, internal/db, internal/message, internal/projects',
  ],
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
    checks: [
      ...KEYS.map((env) => ({ env, method: 'api_key' as const })),
      ...CONFIG_SCHEMA.configFilePaths.map((file) => ({ file, key: 'providers', method: 'config_file' as const })),
      { unseen: 'its providers and keys may stand in crushrc, which is a script' },
    ],
    steps: ['Run `crush` once and set up a provider, or set the key of one.'],
    methods: [
      { type: 'config_file', name: 'provider in crush.json', command: 'crush' },
      { type: 'api_key', name: 'key of a provider', envVars: KEYS },
    ],
    docsUrl: 'https://github.com/charmbracelet/crush#readme',
  },
  config: CONFIG_SCHEMA,
  sessions: SESSION_STORE,
  extensions: { skills: { global: SKILLS_FOLDER, project: '.crush/skills' } },
  launch: (options) => ({
    args: ['run', '--quiet', ...flag('--model', options.model)],
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
