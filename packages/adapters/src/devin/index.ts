import { defineAdapter, flag, type LaunchArgs, type ResolvedRunOptions } from '@agent-mux/core';
import { acpMode, promptFile, textLine, textMode } from '../documented/index.ts';
import { ignoreStderr } from '../shared/ignore-stderr.ts';
import { HOOKS } from './hooks.ts';

/** Cognition's Devin, in its terminal form. */
export const devinAdapter = defineAdapter({
  agent: 'devin',
  displayName: 'Devin CLI',
  cliCommand: 'devin',
  documentedBy: [
    'docs.devin.ai: CLI Commands & flags, Essential commands, Permissions, ACP, Hooks, Lifecycle Hooks',
    'zed.dev: ACP agent Devin',
  ],
  modes: [
    // By default it reads without asking and asks before it writes, fetches or runs anything.
    acpMode({ approvalModes: ['prompt', 'deny', 'yolo'] }),
    {
      ...textMode('print', { supportsModelSelection: true, approvalModes: ['yolo'] }, '; no approvals'),
      promptDelivery: 'file',
    },
  ],
  installMethods: [
    { type: 'curl', platforms: ['darwin', 'linux'], command: 'curl -fsSL https://cli.devin.ai/install.sh | bash' },
    { type: 'brew', platforms: ['darwin'], command: 'brew install --cask devin-cli' },
  ],
  envAllowList: ['DEVIN_*'],
  authChecks: [{ unseen: 'the login is stored where only the CLI can read it: `devin auth status`' }],
  authGuidance: {
    steps: ['Run `devin auth login`.'],
    methods: [{ type: 'browser_login', name: 'Devin account', command: 'devin auth login' }],
  },
  nativeModes: ['print'],
  hooks: HOOKS,
  launch,
  parse: ignoreStderr(textLine),
});

function launch(options: ResolvedRunOptions): LaunchArgs {
  if (options.mode === 'acp') return { args: ['acp'] };
  const prompt = promptFile('--prompt-file', options);
  return {
    args: [
      '--print',
      ...flag('--model', options.model),
      ...flag('--permission-mode', options.nativePermissionMode ?? 'bypass'),
      ...prompt.args,
    ],
    files: prompt.files,
  };
}
