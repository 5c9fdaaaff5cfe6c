/**
 * JSON-RPC over lines, for codecs of agents with their own protocol on top of it: requests, responses and
 * notifications, as pure functions over a state of plain data. `docs/codecs/jsonrpc.md` shows an adapter that is built
 * on it.
 */
export {
  decodeRpc,
  handleRpc,
  type RpcError,
  type RpcHandlers,
  type RpcId,
  type RpcMessage,
  type RpcState,
  readRpc,
  refuseRequest,
  rpcNotice,
  rpcRefuse,
  rpcReply,
  rpcRequest,
  rpcState,
} from './rpc.ts';
