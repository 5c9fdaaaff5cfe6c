import {
  decodeRpc,
  type RpcHandlers,
  type RpcId,
  type RpcState,
  refuseRequest,
  rpcNotice,
  rpcReply,
  rpcRequest,
  rpcState,
} from '@agent-mux/adapters/jsonrpc';
import { defineAdapter, type LiveCodec, NO_CAPABILITIES } from '@agent-mux/core';

/** Plain data: the whole state of the conversation. */
interface AcmeState {
  rpc: RpcState;
  cwd: string;
  requests: Record<string, RpcId>;
}

const HANDLERS: RpcHandlers<AcmeState> = {
  reply: (purpose, result, { cwd }) => {
    if (purpose === 'open') return { events: [{ type: 'session_start', sessionId: String(result.session), cwd }] };
    return { events: purpose === 'prompt' ? [{ type: 'turn_end', status: 'completed' }] : [] };
  },
  failure: (_purpose, { message }) => ({
    events: [
      { type: 'error', code: 'AGENT_ERROR', message, recoverable: false },
      { type: 'turn_end', status: 'failed' },
    ],
  }),
  notice: (method, { text }) => ({
    events: method === 'says' && typeof text === 'string' ? [{ type: 'text_delta', delta: text }] : [],
  }),
  request: (id, method, { tool, input }, state) => {
    if (method !== 'may') return refuseRequest(state.rpc, id, method);
    const requestId = `may:${id}`;
    state.requests[requestId] = id;
    const options = [
      { id: 'yes', label: 'Once', kind: 'allow_once' as const },
      { id: 'no', label: 'No', kind: 'deny_once' as const },
    ];
    return {
      events: [
        {
          type: 'approval_request',
          requestId,
          toolName: String(tool),
          title: `Use ${tool}`,
          input,
          kind: 'execute',
          options,
        },
      ],
    };
  },
};

const codec: LiveCodec<AcmeState> = {
  open: ({ cwd }) => ({ rpc: rpcState(), cwd, requests: {} }),
  handshake: ({ rpc, cwd }) => [rpcRequest(rpc, 'open', { cwd })],
  turn: ({ text }, { rpc }) => [rpcRequest(rpc, 'prompt', { text })],
  decode: (line, state) => decodeRpc(line, state, HANDLERS),
  resolve: ({ requestId }, answer, { rpc, requests }) => {
    const id = requests[requestId];
    if (id === undefined) return [];
    delete requests[requestId];
    const allowed = answer.kind === 'approval' && answer.answer.decision === 'allow';
    return [rpcReply(rpc, id, { allowed })];
  },
  interrupt: ({ rpc }) => [rpcNotice(rpc, 'stop')],
};

export default defineAdapter({
  agent: 'acme-rpc',
  displayName: 'Acme',
  cliCommand: 'acme-rpc',
  nativeModes: [],
  modes: [
    {
      name: 'live',
      driver: 'live',
      summary: 'one process, many turns, over JSON-RPC',
      capabilities: {
        ...NO_CAPABILITIES,
        execModel: 'interactive',
        supportsMultiTurn: true,
        supportsTextStreaming: true,
        supportsNativeTools: true,
        supportsInterrupt: true,
        approvalModes: ['prompt', 'deny', 'yolo'],
      },
      live: { transport: 'stdio', codec, waitForSession: true },
    },
  ],
  launch: () => ({ args: ['serve'] }),
});
