export { claudeStreamCodec } from './codec.ts';
export { type DecodedLine, decodeLine } from './decode.ts';
export type { FailureRule, StreamDialect, ToolKind } from './dialect.ts';
export { type Failure, openState, type StreamState } from './state.ts';
