import { join } from 'node:path';
import type { ApprovalMode, EventBody, ParseContext, ResolvedRunOptions } from '@agent-mux/core';
import {
  type AgentSheet,
  DocumentedAdapter,
  type Launch,
  promptFile,
  textLine,
  textMode,
} from '../documented/index.ts';

/** Nothing but the edits themselves: no commits, no shell commands, no downloads, no lines added to .gitignore. */
const EDITS_ONLY = [
  '--no-auto-commits',
  '--no-dirty-commits',
  '--no-suggest-shell-commands',
  '--no-detect-urls',
  '--no-auto-lint',
  '--no-gitignore',
];

/**
 * For the CLI an unanswered question is mostly a yes, so a closed stdin refuses nothing: what a mode does not allow must not
 * come up. Where there is no repository it creates one, hence `--no-git` in the mode that changes nothing.
 */
const PERMISSIONS: Readonly<Partial<Record<ApprovalMode, readonly string[]>>> = {
  'accept-edits': ['--yes-always', ...EDITS_ONLY],
  plan: ['--yes-always', '--chat-mode', 'ask', '--dry-run', '--no-git', ...EDITS_ONLY],
  yolo: ['--yes-always'],
};

/** What the CLI prints of itself before it begins. */
const ANNOUNCEMENT =
  /^(?:Aider v\d|(?:Main |Weak |Editor )?[Mm]odel: |Git repo: |Repo-map: |Added .+ to the chat|─+$|Using .+ model with API key)/;

const AIDER: AgentSheet = {
  agent: 'aider',
  displayName: 'Aider',
  cliCommand: 'aider',
  documentedBy: ['aider.chat: Options reference, Scripting aider', 'github.com/Aider-AI/aider 5dc9490: args.py, io.py'],
  modes: [
    textMode(
      'message',
      {
        supportsModelSelection: true,
        supportsNativeTools: false,
        requiresGitRepo: true,
        approvalModes: ['accept-edits', 'plan', 'yolo'],
      },
      '; edits are read from its answer, so there are no tool calls',
    ),
  ],
  install: [{ type: 'pip', platforms: 'all', command: 'python -m pip install aider-install && aider-install' }],
  env: ['AIDER_*', 'OPENAI_*', 'ANTHROPIC_*', 'GEMINI_*', 'DEEPSEEK_*', 'OPENROUTER_*', 'OLLAMA_*', 'LITELLM_*'],
  login: {
    checks: [
      { env: 'OPENAI_API_KEY', method: 'api_key' },
      { env: 'ANTHROPIC_API_KEY', method: 'api_key' },
      { env: 'OPENROUTER_API_KEY', method: 'api_key' },
      { unseen: 'a key may stand in .aider.conf.yml or .env' },
    ],
    steps: ['Set the key of your model provider, for example OPENAI_API_KEY.'],
    methods: [{ type: 'api_key', name: 'key of the model provider', envVars: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY'] }],
  },
  launch,
  parse,
};

function launch(options: ResolvedRunOptions): Launch {
  const prompt = promptFile('--message-file', options);
  // The histories would stand in the project, and nothing could be resumed from them by id.
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
      ...(options.model ? ['--model', options.model] : []),
      ...(PERMISSIONS[options.approvalMode] ?? []),
      ...prompt.args,
    ],
    files: prompt.files,
  };
}

function parse(line: string, context: ParseContext): EventBody[] {
  const state = context.adapterState;
  if (!state.begun && (line.trim() === '' || ANNOUNCEMENT.test(line))) return [];
  state.begun = true;
  return textLine(line);
}

/** Aider. */
export class AiderAdapter extends DocumentedAdapter {
  constructor() {
    super(AIDER);
  }
}
