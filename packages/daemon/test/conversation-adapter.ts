import { fileURLToPath } from 'node:url';
import {
  type AgentCapabilities,
  type AgentMode,
  type DefinedAdapter,
  defineAdapter,
  type EventBody,
  isRecord,
  type LiveCodec,
  NO_CAPABILITIES,
  parseIfJson,
} from '@agent-mux/core';
import { fakeLiveCodec } from '@agent-mux/testkit';

const AGENT = fileURLToPath(new URL('./hosts/conversation-agent.mjs', import.meta.url));

export interface ConversationOptions {
  agent: string;
  /** One process per session, one per turn, or one for all sessions. */
  process: 'stays' | 'once' | 'shares';
  /** `resumable`: it reports session ids and continues by them. `process`: it cannot. `none`: each turn is a job. */
  conversation: 'resumable' | 'process' | 'none';
  /** How long a shared process takes to exit. */
  exitMs?: number;
}

type State = { channel: string; session: string | null; fork: string | null };

const codec: LiveCodec<State> = {
  open: ({ runId, sessionId, forkSessionId }) => ({
    channel: runId,
    session: sessionId ?? null,
    fork: forkSessionId ?? null,
  }),
  handshake: ({ channel, session, fork }) => [JSON.stringify({ channel, open: { session, fork } })],
  turn: ({ text }, { channel }) => [JSON.stringify({ channel, turn: text })],
  decode(line) {
    const message = parseIfJson(line);
    return { events: isRecord(message) ? eventsIn(JSON.stringify(message.event)) : [] };
  },
  resolve: () => [],
  interrupt: ({ channel }) => [JSON.stringify({ channel, interrupt: true })],
  close: ({ channel }) => [JSON.stringify({ channel, close: true })],
};

const plain = fakeLiveCodec(false);

/** A line that is an event, as the fake agent's codec reads it. */
function eventsIn(line: string): EventBody[] {
  const state = { greeting: {} };
  return plain.decode(line, state, { now: 0, turnActive: true }).events;
}

/**
 * Agents that answer with all messages of the conversation, so that the answer shows whether a process continued it.
 */
export default function createConversationAgent(options: ConversationOptions): DefinedAdapter {
  const { agent, process: shape, conversation, exitMs = 0 } = options;
  const resumes = conversation === 'resumable';
  const capabilities: AgentCapabilities = {
    ...NO_CAPABILITIES,
    canResume: resumes,
    canFork: resumes,
    nativeSessionIds: resumes,
    sessionPersistence: resumes ? 'file' : 'none',
    supportsMultiTurn: shape !== 'once' || conversation === 'none',
    supportsInterrupt: true,
    execModel: shape === 'once' ? 'run-to-completion' : 'interactive',
    supportsTextStreaming: true,
    approvalModes: ['prompt', 'yolo'],
  };
  const share = {
    key: () => agent,
    channelOf: ({ channel }: State) => channel,
    route: (line: string) => {
      const message = parseIfJson(line);
      return isRecord(message) && typeof message.channel === 'string' ? message.channel : undefined;
    },
  };
  const mode: AgentMode =
    shape === 'once'
      ? { name: 'once', driver: 'oneshot', summary: 'a process per turn', capabilities }
      : {
          name: 'live',
          driver: 'live',
          summary: 'a process that stays',
          capabilities,
          live: {
            transport: 'stdio',
            codec,
            waitForSession: resumes,
            ...(shape === 'shares' ? { share } : {}),
          },
        };
  return defineAdapter({
    agent,
    displayName: `Agent ${agent}`,
    cliCommand: process.execPath,
    needsNoInstall: true,
    modes: [mode],
    launch: ({ env, prompt, sessionId, forkSessionId }) => ({
      args: [
        AGENT,
        JSON.stringify({ shape, resumes, exitMs, session: sessionId ?? null, fork: forkSessionId ?? null }),
      ],
      env: { ...env },
      ...(shape === 'once' ? { stdin: prompt } : {}),
    }),
    parse: eventsIn,
  });
}
