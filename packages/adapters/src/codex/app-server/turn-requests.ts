import { rpcRequest } from '../../jsonrpc/index.ts';
import type { Json } from '../../shared/json.ts';
import type { AppServerState } from './state.ts';

export function interruptLine(state: AppServerState): string {
  return rpcRequest(state.rpc, 'turn/interrupt', { threadId: state.threadId, turnId: state.turnId });
}

export function steerLine(input: Json[], state: AppServerState): string {
  const { threadId, turnId: expectedTurnId } = state;
  return rpcRequest(state.rpc, 'turn/steer', { threadId, expectedTurnId, input });
}
