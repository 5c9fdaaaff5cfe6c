export type { AskedTool, PiDialect } from './dialect.ts';
export { session, systemPrompt } from './launch.ts';
export { modelsFrom } from './models.ts';
export { decodeOneshot } from './oneshot.ts';
export { providerFailures } from './provider-failures.ts';
export { ENV_ALLOW_LIST, PROVIDER_KEYS } from './providers.ts';
export { rpcCodec } from './rpc.ts';
export { familySessions } from './session-store.ts';
export type { PiState } from './state.ts';
