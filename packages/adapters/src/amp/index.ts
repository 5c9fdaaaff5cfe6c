import { argument, defineAdapter, type EventBody, type ParseContext } from '@agent-mux/core';
import { decodeLine } from '../claude-stream/index.ts';
import { PLAIN_DIALECT, streamStateOf } from '../claude-stream/plain.ts';
import { RESUMED_BY_ID, streamMode } from '../documented/index.ts';
import { ignoreStderr } from '../shared/ignore-stderr.ts';
import { parseRecord, word } from '../shared/json.ts';
import { CONFIG_SCHEMA } from './config.ts';
import { HOOKS } from './hooks.ts';
import { TOOL_KINDS } from './tool-kinds.ts';

/** Sourcegraph's Amp. */
export const ampAdapter = defineAdapter({
  agent: 'amp',
  displayName: 'Amp',
  cliCommand: 'amp',
  documentedBy: [
    'amp 0.0.1790142911 --help',
    'ampcode.com: Owner’s Manual (Execute mode, Streaming JSON, Permissions, Configuration, MCP, Skills, Plugin API)',
  ],
  toolKinds: TOOL_KINDS,
  modes: [
    streamMode(
      'execute',
      // Rules can ask only in the terminal; without rules everything runs.
      { ...RESUMED_BY_ID, sessionPersistence: 'remote', approvalModes: ['yolo'] },
      ', and tools run without asking',
    ),
  ],
  nativeModes: [],
  installMethods: [
    { type: 'curl', platforms: ['darwin', 'linux'], command: 'curl -fsSL https://ampcode.com/install.sh | bash' },
    { type: 'npm', platforms: 'all', command: 'npm install -g @sourcegraph/amp' },
  ],
  envAllowList: ['AMP_*'],
  authChecks: [
    { env: 'AMP_API_KEY', method: 'api_key' },
    { unseen: 'the login is stored where only the CLI can read it' },
  ],
  authGuidance: {
    steps: ['Run `amp login`, or set AMP_API_KEY.'],
    methods: [
      { type: 'browser_login', name: 'Amp account', command: 'amp login' },
      { type: 'api_key', name: 'Amp API key', envVars: ['AMP_API_KEY'] },
    ],
    docsUrl: 'https://ampcode.com/manual',
  },
  configSchema: CONFIG_SCHEMA,
  // Only its service stores threads.
  extensionFolders: { skills: { global: '~/.config/agents/skills', project: '.agents/skills' } },
  hooks: HOOKS,
  launch: (options) => ({
    args: [
      ...(options.sessionId ? ['threads', 'continue', ...argument('sessionId', options.sessionId)] : []),
      '--execute',
      '--stream-json',
    ],
    stdin: options.prompt,
  }),
  parse: ignoreStderr(parse),
});

/** Claude's stream format, except that a result reports a failure in `error`. */
function parse(line: string, context: ParseContext): EventBody[] | null {
  const message = parseRecord(line);
  const error = message?.type === 'result' ? word(message.error) : undefined;
  const said = error === undefined ? line : JSON.stringify({ ...message, errors: [error] });
  return decodeLine(said, streamStateOf(context), PLAIN_DIALECT)?.events ?? null;
}
