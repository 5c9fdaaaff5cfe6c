import { rpcRequest } from '../../jsonrpc/index.ts';
import type { Json } from '../../shared/json.ts';
import type { CodexState } from '../state.ts';

export function interruptLine(state: CodexState): string {
  return rpcRequest(state.rpc, 'turn/interrupt', { threadId: state.threadId, turnId: state.turnId });
}

export function steerLine(input: Json[], state: CodexState): string {
  const { threadId, turnId: expectedTurnId } = state;
  return rpcRequest(state.rpc, 'turn/steer', { threadId, expectedTurnId, input });
}
