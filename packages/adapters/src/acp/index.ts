/**
 * The codec for agents that speak the Agent Client Protocol over stdio: handshake, sessions, turns, tools, approvals
 * and questions. `docs/codecs/acp.md` shows an adapter that is built on it.
 */
export { acpCodec } from './codec.ts';
export type { AcpDialect } from './dialect.ts';
export { decodeFailure } from './failure.ts';
export type { AcpState } from './state.ts';
