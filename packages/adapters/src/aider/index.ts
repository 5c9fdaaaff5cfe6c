import { join } from 'node:path';
import {
  type ApprovalMode,
  defineAdapter,
  type EventBody,
  flag,
  type LaunchArgs,
  type ParseContext,
  type ResolvedRunOptions,
} from '@agent-mux/core';
import { promptFile, textLine, textMode } from '../documented/index.ts';
import { envKeys } from '../shared/env-keys.ts';
import { ignoreStderr } from '../shared/ignore-stderr.ts';
import { CONFIG_FILE, CONFIG_SCHEMA } from './config.ts';

/** Only the edits themselves: no commits, shell commands, downloads or lines added to .gitignore. */
const EDITS_ONLY = [
  '--no-auto-commits',
  '--no-dirty-commits',
  '--no-suggest-shell-commands',
  '--no-detect-urls',
  '--no-auto-lint',
  '--no-gitignore',
];

/**
 * The CLI treats most unanswered questions as yes, so a closed stdin refuses nothing: questions that a mode does not
 * allow must not come up. Without a repository it creates one, hence `--no-git` in the mode that changes nothing.
 */
const PERMISSIONS: Readonly<Partial<Record<ApprovalMode, readonly string[]>>> = {
  'accept-edits': ['--yes-always', ...EDITS_ONLY],
  plan: ['--yes-always', '--chat-mode', 'ask', '--dry-run', '--no-git', ...EDITS_ONLY],
  yolo: ['--yes-always'],
};

const KEYS = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY', 'DEEPSEEK_API_KEY'];

/** Lines the CLI prints about itself before it starts. */
const ANNOUNCEMENT =
  /^(?:Aider v\d|(?:Main |Weak |Editor )?[Mm]odel: |Git repo: |Repo-map: |Added .+ to the chat|─+$|Using .+ model with API key)/;

/** Aider. It stores no sessions: a project has one history for all of its conversations. */
export const aiderAdapter = defineAdapter({
  agent: 'aider',
  displayName: 'Aider',
  cliCommand: 'aider',
  documentedBy: [
    'aider.chat: Options reference, Scripting aider, YAML config file, Config with .env',
    'github.com/Aider-AI/aider 5dc9490: args.py, io.py, onboarding.py',
  ],
  modes: [
    {
      ...textMode(
        'message',
        {
          supportsModelSelection: true,
          supportsNativeTools: false,
          requiresGitRepo: true,
          approvalModes: ['accept-edits', 'plan', 'yolo'],
        },
        '; it parses edits from the answer, so there are no tool calls',
      ),
      promptDelivery: 'file',
    },
  ],
  nativeModes: [],
  installMethods: [{ type: 'pip', platforms: 'all', command: 'python -m pip install aider-install && aider-install' }],
  envAllowList: [
    'AIDER_*',
    'OPENAI_*',
    'ANTHROPIC_*',
    'GEMINI_*',
    'DEEPSEEK_*',
    'OPENROUTER_*',
    'OLLAMA_*',
    'LITELLM_*',
  ],
  authChecks: [
    ...envKeys(KEYS),
    ...['openai-api-key', 'anthropic-api-key', 'api-key'].map((key) => ({
      file: CONFIG_FILE,
      format: 'yaml' as const,
      key,
      method: 'config_file' as const,
    })),
    // Where the OpenRouter login stores its key.
    { file: '~/.aider/oauth-keys.env', method: 'oauth' },
    { unseen: 'the key may be in .env or in the project configuration' },
  ],
  authGuidance: {
    steps: [
      'Set the key of your model provider, for example OPENAI_API_KEY, or put it into ~/.aider.conf.yml.',
      'Without a key, `aider` offers a login with OpenRouter.',
    ],
    methods: [
      { type: 'api_key', name: 'key of the model provider', envVars: KEYS },
      { type: 'oauth', name: 'OpenRouter account', command: 'aider' },
    ],
    docsUrl: 'https://aider.chat/docs/config/api-keys.html',
  },
  configSchema: CONFIG_SCHEMA,
  launch,
  parse: ignoreStderr(parse),
});

function launch(options: ResolvedRunOptions): LaunchArgs {
  const prompt = promptFile('--message-file', options);
  // It would write histories into the project, which cannot be resumed by id.
  const history = ['--chat-history-file', '--input-history-file'].flatMap((flag) => [
    flag,
    join(options.scratchDir, `${flag.slice(2, -5)}.md`),
  ]);
  return {
    args: [
      '--no-pretty',
      '--no-stream',
      '--no-check-update',
      '--no-show-release-notes',
      '--disable-playwright',
      ...history,
      ...flag('--model', options.model),
      ...(PERMISSIONS[options.approvalMode] ?? []),
      ...prompt.args,
    ],
    files: prompt.files,
  };
}

function parse(line: string, context: ParseContext): EventBody[] {
  const state = context.adapterState;
  if (!state.started && (line.trim() === '' || ANNOUNCEMENT.test(line))) return [];
  state.started = true;
  return textLine(line);
}
