import { defineAdapter, flag, type LaunchArgs, type ResolvedRunOptions } from '@agent-mux/core';
import { promptFile, streamMode } from '../documented/index.ts';
import { ignoreStderr } from '../shared/ignore-stderr.ts';
import { parseRooLine } from './events.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

/** Roo Code, run from a terminal; the editor extension itself has no command. */
export const rooAdapter = defineAdapter({
  agent: 'roo',
  displayName: 'Roo Code CLI',
  cliCommand: 'roo',
  documentedBy: [
    'github.com/RooCodeInc/Roo-Code: apps/cli (README.md, src/index.ts, src/types/json-events.ts, src/agent/json-event-emitter.ts)',
    'github.com/RooCodeInc/Roo-Code: release notes cli-v0.0.49',
  ],
  toolKinds: TOOL_KINDS,
  modes: [
    {
      ...streamMode(
        'print',
        {
          supportsTextStreaming: true,
          supportsActivityStreaming: true,
          canRunWithoutSession: true,
          supportsModelSelection: true,
          supportsThinking: true,
          thinkingEfforts: ['minimal', 'low', 'medium', 'high', 'xhigh'],
          // It approves everything automatically; `--require-approval` waits for a person at its terminal UI.
          approvalModes: ['yolo'],
        },
        ', and tools run without asking',
      ),
      promptDelivery: 'file',
    },
  ],
  nativeModes: [],
  installMethods: [
    {
      type: 'curl',
      platforms: ['darwin', 'linux'],
      command: 'curl -fsSL https://raw.githubusercontent.com/RooCodeInc/Roo-Code/main/apps/cli/install.sh | sh',
    },
  ],
  envAllowList: ['ROO_*', 'OPENROUTER_*', 'ANTHROPIC_*', 'OPENAI_*', 'GOOGLE_API_KEY', 'LITELLM_*'],
  authChecks: [
    { env: 'OPENROUTER_API_KEY', method: 'api_key' },
    { env: 'ANTHROPIC_API_KEY', method: 'api_key' },
    { env: 'OPENAI_API_KEY', method: 'api_key' },
    { file: '~/.config/roo/credentials.json', method: 'oauth' },
  ],
  authGuidance: {
    steps: ['Run `roo auth login`, or set the key of your model provider.'],
    methods: [
      { type: 'browser_login', name: 'Roo Code Cloud', command: 'roo auth login' },
      { type: 'api_key', name: 'key of the model provider', envVars: ['OPENROUTER_API_KEY', 'ANTHROPIC_API_KEY'] },
    ],
  },
  launch,
  parse: ignoreStderr(parseRooLine),
});

function launch(options: ResolvedRunOptions): LaunchArgs {
  const prompt = promptFile('--prompt-file', options);
  return {
    args: [
      '--print',
      '--output-format',
      'stream-json',
      ...flag('--model', options.model),
      ...flag('--reasoning-effort', options.thinkingEffort),
      ...(options.noSession ? ['--ephemeral'] : []),
      ...prompt.args,
    ],
    files: prompt.files,
  };
}
