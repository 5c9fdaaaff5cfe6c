export { decodeEvent, endTurn } from './decode.ts';
export type { AskedTool, Failure, FailureRule, PiDialect, ToolKind } from './dialect.ts';
export { failureEvent, readFailure } from './failure.ts';
export { otherProject, rpcCodec } from './rpc.ts';
export { openState, type PiState } from './state.ts';
