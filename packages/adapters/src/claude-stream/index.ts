export { claudeStreamCodec } from './codec.ts';
export { decodeLine } from './decode.ts';
export type { StreamDialect } from './dialect.ts';
export { openState, type StreamState } from './state.ts';
