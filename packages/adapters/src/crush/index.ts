import { defineAdapter, flag } from '@agent-mux/core';
import { textLine, textMode } from '../documented/index.ts';
import { envKeys } from '../shared/env-keys.ts';
import { ignoreStderr } from '../shared/ignore-stderr.ts';
import { CONFIG_SCHEMA, SKILLS_FOLDER } from './config.ts';
import { HOOKS } from './hooks.ts';
import { SESSION_STORE } from './sessions.ts';

const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY', 'GROQ_API_KEY'];

/** Charm's Crush. */
export const crushAdapter = defineAdapter({
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
  nativeModes: [],
  installMethods: [
    { type: 'brew', platforms: ['darwin', 'linux'], command: 'brew install charmbracelet/tap/crush' },
    { type: 'npm', platforms: 'all', command: 'npm install -g @charmland/crush' },
  ],
  envAllowList: ['CRUSH_*', 'ANTHROPIC_*', 'OPENAI_*', 'OPENROUTER_*', 'GEMINI_*', 'GROQ_*'],
  hostEnvSignals: ['CRUSH'],
  authChecks: [
    ...envKeys(KEYS),
    ...CONFIG_SCHEMA.configFilePaths.map((file) => ({ file, key: 'providers', method: 'config_file' as const })),
    { unseen: 'providers and keys may be in crushrc, which is a script' },
  ],
  authGuidance: {
    steps: ['Run `crush` once and set up a provider, or set the key of one.'],
    methods: [
      { type: 'config_file', name: 'provider in crush.json', command: 'crush' },
      { type: 'api_key', name: 'key of a provider', envVars: KEYS },
    ],
    docsUrl: 'https://github.com/charmbracelet/crush#readme',
  },
  configSchema: CONFIG_SCHEMA,
  sessionStore: SESSION_STORE,
  hooks: HOOKS,
  extensionFolders: { skills: { global: SKILLS_FOLDER, project: '.crush/skills' } },
  launch: (options) => ({
    args: ['run', '--quiet', ...flag('--model', options.model)],
    stdin: options.prompt,
  }),
  parse: ignoreStderr(textLine),
});
