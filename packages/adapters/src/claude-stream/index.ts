export { claudeStreamCodec } from './codec.ts';
export { decodeLine } from './decode.ts';
export type { FailureRule, StreamDialect } from './dialect.ts';
export { type Failure, openState, type StreamState } from './state.ts';
