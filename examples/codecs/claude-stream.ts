import {
  asAuthError,
  asRateLimit,
  claudeStreamCodec,
  decodeLine,
  PLAIN_DIALECT,
  type StreamDialect,
  streamStateOf,
} from '@agent-mux/adapters/claude-stream';
import { type AgentCapabilities, defineAdapter, NO_CAPABILITIES } from '@agent-mux/core';

const DIALECT: StreamDialect = {
  ...PLAIN_DIALECT,
  permissionModes: { prompt: 'ask', yolo: 'all' },
  failures: [
    { status: [401, 403], event: asAuthError('Run `acme login`.') },
    { status: [429], event: asRateLimit },
  ],
};

const CAN: AgentCapabilities = { ...NO_CAPABILITIES, supportsTextStreaming: true, reportsUsage: true };

export default defineAdapter({
  agent: 'acme-stream',
  displayName: 'Acme',
  cliCommand: 'acme-stream',
  nativeModes: [],
  modes: [
    {
      name: 'live',
      driver: 'live',
      summary: 'one process, many turns, and its requests are answered',
      capabilities: {
        ...CAN,
        execModel: 'interactive',
        supportsMultiTurn: true,
        supportsInterrupt: true,
        supportsModeSwitch: true,
        approvalModes: ['prompt', 'yolo'],
      },
      live: {
        transport: 'stdio',
        waitForSession: false,
        codec: claudeStreamCodec(DIALECT, ({ text, attachments }) =>
          [text, ...attachments.map(({ path }) => path)].join('\n'),
        ),
      },
    },
    {
      name: 'print',
      driver: 'oneshot',
      outputFormat: 'jsonl',
      summary: 'a process per turn, the prompt on stdin; no approval requests',
      capabilities: { ...CAN, approvalModes: ['yolo'] },
    },
  ],
  launch: ({ mode, approvalMode, prompt }) => {
    const args = ['--stream-json', `--permissions=${approvalMode === 'yolo' ? 'all' : 'ask'}`];
    return mode === 'print' ? { args: [...args, '--print'], stdin: prompt } : { args };
  },
  parse: (line, context) => decodeLine(line, streamStateOf(context), DIALECT)?.events ?? null,
});
