import { fileURLToPath } from 'node:url';
import { type AgentCapabilities, defineAdapter, NO_CAPABILITIES } from '@agent-mux/core';
import { decodeFakeLine } from '../../fake-agent/decode.ts';
import { fakeLiveCodec } from '../../fake-agent/live-codec.ts';

const CAPABILITIES: AgentCapabilities = {
  ...NO_CAPABILITIES,
  canResume: true,
  supportsMultiTurn: true,
  sessionPersistence: 'file',
  nativeSessionIds: true,
  resumeAttach: true,
  execModel: 'interactive',
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  supportsNativeTools: true,
  approvalModes: ['prompt', 'yolo'],
  supportsInterrupt: true,
};

/** Named in the configuration file of a chaos round: keepers load it like any other adapter. */
export default defineAdapter({
  agent: 'scripted',
  displayName: 'Scripted agent',
  cliCommand: process.execPath,
  needsNoInstall: true,
  modes: [
    {
      name: 'live',
      driver: 'live',
      summary: 'one process, many turns, JSON lines',
      capabilities: CAPABILITIES,
      live: { transport: 'stdio', codec: fakeLiveCodec(true), waitForSession: true },
    },
  ],
  toolKinds: { shell: 'execute' },
  envAllowList: ['SCRIPTED_MODEL_URL'],
  launch: (options) => ({
    args: [fileURLToPath(new URL('./agent.mjs', import.meta.url))],
    env: { ...options.env },
  }),
  parse: (line) => decodeFakeLine(line),
});
