import { fileURLToPath } from 'node:url';
import {
  type AgentCapabilities,
  type AgentMode,
  defineAdapter,
  type EventBody,
  type HookSpec,
  type LiveCodec,
  NO_CAPABILITIES,
  type PendingRequest,
  type RequestAnswer,
} from '@agent-mux/core';
import type { Kind } from './kinds.ts';

export const AGENT = fileURLToPath(new URL('./agent.mjs', import.meta.url));

interface State {
  channel: string;
  session: string | undefined;
  fork: string | undefined;
}

const say = ({ channel }: State, message: object) => [JSON.stringify({ channel, ...message })];
const isAllowed = (answer: RequestAnswer) =>
  answer.kind === 'approval' && 'decision' in answer.answer && answer.answer.decision === 'allow';

const codec: LiveCodec<State> = {
  open: (options, slot) => ({
    channel: slot?.channel ?? options.runId,
    session: options.sessionId,
    fork: options.forkSessionId,
  }),
  handshake: (state) => say(state, { hello: { session: state.session, fork: state.fork } }),
  turn: (input, state) => say(state, { turn: input.text }),
  decode(line) {
    const { channel: _, ...event } = JSON.parse(line) as EventBody & { channel?: string };
    return { events: [event as EventBody] };
  },
  resolve: ({ requestId }: PendingRequest, answer, state) =>
    say(state, { answer: requestId, allowed: isAllowed(answer) }),
  interrupt: (state) => say(state, { interrupt: true }),
};

const HOOKS: HookSpec = {
  events: ['Prompt', 'Stop', 'End'].map((name) => ({ name })),
  file: { shape: 'json-groups', path: '.fake/hooks.json', under: ['hooks'] },
  read: (_, payload) => payload,
};

/** Loaded by the config file of the model's home. */
export default function defineModelAgent(kind: Kind) {
  const { agent, hasId, isShared, isOnce } = kind;
  const capabilities: AgentCapabilities = {
    ...NO_CAPABILITIES,
    canResume: hasId,
    canFork: hasId,
    nativeSessionIds: hasId,
    sessionPersistence: hasId ? 'file' : 'none',
    // A process per message without an id accepts one message only, like Continue.
    supportsMultiTurn: !isOnce || hasId,
    resumeAttach: !isOnce && hasId,
    execModel: isOnce ? 'run-to-completion' : 'interactive',
    supportsTextStreaming: true,
    approvalModes: ['prompt', 'yolo'],
    supportsInterrupt: true,
  };
  const share = {
    key: () => 'one',
    channelOf: (state: State) => state.channel,
    route: (line: string) => /^\{"channel":"([^"]+)"/.exec(line)?.[1],
  };
  const mode: AgentMode = isOnce
    ? { name: 'oneshot', driver: 'oneshot', summary: 'a process per message', capabilities }
    : {
        ...{ name: 'live', driver: 'live', summary: 'one process', capabilities },
        live: { transport: 'stdio', codec, waitForSession: true, ...(isShared ? { share } : {}) },
      };
  return defineAdapter({
    agent,
    displayName: `Agent "${agent}"`,
    cliCommand: process.execPath,
    needsNoInstall: true,
    modes: [mode],
    toolKinds: { shell: 'execute' },
    hooks: HOOKS,
    launch: ({ sessionId, forkSessionId, prompt }) => ({
      args: [
        AGENT,
        ...(hasId ? [] : ['--no-id']),
        ...(isOnce ? ['--once'] : []),
        ...(isOnce && sessionId ? ['--session', sessionId] : []),
        ...(isOnce && forkSessionId ? ['--fork', forkSessionId] : []),
      ],
      ...(isOnce ? { stdin: prompt } : {}),
    }),
    parse: (line) => (line.startsWith('{') ? (JSON.parse(line) as EventBody) : null),
  });
}
