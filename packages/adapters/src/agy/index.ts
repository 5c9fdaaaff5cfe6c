import {
  type ApprovalMode,
  defineAdapter,
  flag,
  flagEach,
  type LaunchArgs,
  type ResolvedRunOptions,
} from '@agent-mux/core';
import { promptArgument, RESUMED_BY_ID, streamMode } from '../documented/index.ts';
import { ignoreStderr } from '../shared/ignore-stderr.ts';
import { parseAgyLine } from './events.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

const PERMISSIONS: Readonly<Partial<Record<ApprovalMode, readonly string[]>>> = {
  plan: ['--mode', 'plan'],
  'accept-edits': ['--mode', 'accept-edits'],
  yolo: ['--dangerously-skip-permissions'],
};

/** By default the CLI limits a printing run to five minutes; the caller sets the limit instead. */
const PRINT_TIMEOUT = '24h';

/** Google's Antigravity in the terminal. */
export const agyAdapter = defineAdapter({
  agent: 'agy',
  displayName: 'Antigravity CLI',
  cliCommand: 'agy',
  documentedBy: [
    'github.com/google-antigravity/antigravity-cli: release notes 1.1.8',
    'hexdocs.pm/agy: headless runs',
    'public programs that read the stream of agy 1.2, and public lists of its flags',
  ],
  toolKinds: TOOL_KINDS,
  modes: [
    {
      ...streamMode('print', {
        ...RESUMED_BY_ID,
        sessionPersistence: 'sqlite',
        supportsTextStreaming: true,
        supportsActivityStreaming: true,
        supportsModelSelection: true,
        supportsAddDirs: true,
        approvalModes: ['accept-edits', 'plan', 'yolo'],
        reportsUsage: true,
      }),
      promptDelivery: 'argv',
    },
  ],
  nativeModes: ['print'],
  installMethods: [
    {
      type: 'curl',
      platforms: ['darwin', 'linux'],
      command: 'curl -fsSL https://antigravity.google/cli/install.sh | bash',
    },
    { type: 'winget', platforms: ['win32'], command: 'winget install --id Google.AntigravityCLI' },
  ],
  envAllowList: ['AGY_*', 'ANTIGRAVITY_*'],
  authChecks: [{ unseen: 'the login is stored in the system keyring' }],
  authGuidance: {
    steps: ['Run `agy` once and log in.'],
    methods: [{ type: 'browser_login', name: 'Google account', command: 'agy' }],
  },
  launch,
  parse: ignoreStderr(parseAgyLine),
});

function launch(options: ResolvedRunOptions): LaunchArgs {
  const { nativePermissionMode: native, approvalMode, addDirs = [], model, sessionId } = options;
  return {
    args: [
      '--output-format',
      'stream-json',
      '--print-timeout',
      PRINT_TIMEOUT,
      ...(native === undefined ? (PERMISSIONS[approvalMode] ?? []) : flag('--mode', native)),
      ...flag('--model', model),
      ...flag('--conversation', sessionId),
      // The CLI does not work in folders that are not listed.
      ...flagEach('--add-dir', [options.cwd, ...addDirs]),
      promptArgument('--print', options),
    ],
  };
}
