import { acpCodec } from '@agent-mux/adapters/acp';
import { defineAdapter, flag, NO_CAPABILITIES } from '@agent-mux/core';

export default defineAdapter({
  agent: 'acme-acp',
  displayName: 'Acme',
  cliCommand: 'acme-acp',
  modes: [
    {
      name: 'acp',
      driver: 'acp',
      summary: 'one process, many turns, over the Agent Client Protocol',
      capabilities: {
        ...NO_CAPABILITIES,
        canResume: true,
        sessionPersistence: 'file',
        nativeSessionIds: true,
        execModel: 'interactive',
        supportsMultiTurn: true,
        supportsTextStreaming: true,
        supportsModelSelection: true,
        supportsNativeTools: true,
        supportsInterrupt: true,
        approvalModes: ['prompt', 'plan', 'deny', 'yolo'],
      },
      live: {
        transport: 'stdio',
        waitForSession: true,
        codec: acpCodec({
          modes: { plan: 'read-only' },
          toolFailed: (output) => output.startsWith('exit code'),
        }),
      },
    },
  ],
  launch: ({ model }) => ({ args: ['--acp', ...flag('--model', model)] }),
});
