export { decodeEvent, endTurn } from './decode.ts';
export type { AskedTool, Failure, FailureRule, PiDialect } from './dialect.ts';

export { otherProject, rpcCodec } from './rpc.ts';
export { openState, type PiState } from './state.ts';
