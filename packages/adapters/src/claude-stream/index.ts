/**
 * The codec for agents that print the stream of Claude Code (`--output-format stream-json`), once per turn or in a
 * conversation. `docs/codecs/claude-stream.md` shows an adapter that is built on it.
 */
export {
  asAuthError,
  asContextExceeded,
  asError,
  asRateLimit,
  type Failure,
  type FailureRule,
} from '../shared/failures.ts';
export { claudeStreamCodec } from './codec.ts';
export { decodeLine } from './decode.ts';
export type { StreamDialect } from './dialect.ts';
export { PLAIN_DIALECT, streamStateOf } from './plain.ts';
export { openState, type StreamState } from './state.ts';
