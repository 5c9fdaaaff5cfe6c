import { type ApprovalMode, defineAdapter, flag, type LaunchArgs, type ResolvedRunOptions } from '@agent-mux/core';
import { acpMode, KEPT_SESSIONS, RESUMED_BY_ID, streamMode } from '../documented/index.ts';
import { ignoreStderr } from '../shared/ignore-stderr.ts';
import { CONFIG_SCHEMA } from './config.ts';
import { parseCursorLine } from './events.ts';
import { HOOKS } from './hooks.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

/**
 * The documentation says that a printing run without `--force` only proposes its changes; a public measurement of
 * 2026.08.11 saw it write files all the same, so nothing relies on that. `ask` is read-only according to both.
 */
const PERMISSIONS: Readonly<Partial<Record<ApprovalMode, readonly string[]>>> = {
  plan: ['--mode', 'ask'],
  yolo: ['--force'],
};

/** Cursor's agent in the terminal; the command `cursor` is the editor. */
export const cursorAdapter = defineAdapter({
  agent: 'cursor',
  displayName: 'Cursor CLI',
  cliCommand: 'cursor-agent',
  documentedBy: [
    'cursor.com: CLI ACP, Parameters, Output format, Headless CLI, Permissions, Configuration, MCP, Agent Skills, Subagents',
  ],
  toolKinds: TOOL_KINDS,
  modes: [
    acpMode(
      { ...KEPT_SESSIONS, approvalModes: ['prompt', 'plan', 'deny', 'yolo'], supportsModeSwitch: true },
      {
        // It asks for anything its configured allow list does not name; `plan` is read-only.
        modes: { prompt: 'agent', plan: 'plan', deny: 'agent', yolo: 'agent' },
        authenticate: 'cursor_login',
      },
      '; its configured allow list runs without asking',
    ),
    streamMode('stream-json', {
      ...RESUMED_BY_ID,
      sessionPersistence: 'remote',
      supportsModelSelection: true,
      approvalModes: ['plan', 'yolo'],
    }),
  ],
  nativeModes: ['acp', 'stream-json'],
  installMethods: [
    {
      type: 'curl',
      platforms: ['darwin', 'linux'],
      command: 'curl https://cursor.com/install -fsS | bash',
      update: 'cursor-agent update',
    },
    { type: 'manual', platforms: ['win32'], command: "irm 'https://cursor.com/install?win32=true' | iex" },
  ],
  envAllowList: ['CURSOR_*'],
  authChecks: [
    { env: 'CURSOR_API_KEY', method: 'api_key' },
    { env: 'CURSOR_AUTH_TOKEN', method: 'oauth' },
    { unseen: 'the login is stored where only the CLI can read it: `cursor-agent status`' },
  ],
  authGuidance: {
    steps: ['Run `cursor-agent login`, or set CURSOR_API_KEY.'],
    methods: [
      { type: 'browser_login', name: 'Cursor account', command: 'cursor-agent login' },
      { type: 'api_key', name: 'Cursor API key', envVars: ['CURSOR_API_KEY'] },
    ],
    docsUrl: 'https://cursor.com/docs/cli/reference/authentication',
  },
  configSchema: CONFIG_SCHEMA,
  // Its chats are stored in an undocumented format.
  hooks: HOOKS,
  extensionFolders: {
    skills: { global: '~/.cursor/skills', project: '.cursor/skills' },
    subagents: { global: '~/.cursor/agents', project: '.cursor/agents' },
  },
  launch,
  parse: ignoreStderr(parseCursorLine),
});

function launch(options: ResolvedRunOptions): LaunchArgs {
  if (options.mode === 'acp') return { args: ['acp'] };
  const { nativePermissionMode: native, approvalMode, model, sessionId } = options;
  return {
    args: [
      '--print',
      '--output-format',
      'stream-json',
      ...flag('--model', model),
      ...flag('--resume', sessionId),
      ...(native === undefined ? (PERMISSIONS[approvalMode] ?? []) : flag('--mode', native)),
    ],
    stdin: options.prompt,
  };
}
