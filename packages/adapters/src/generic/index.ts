export { type CliConfig, DEFAULT_SILENCE_MS, GenericCliAdapter } from './cli.ts';
export { adaptersFromDefinitions, type DefinedAdapters } from './definitions.ts';
export { ExternalAdapter, type ExternalConfig } from './external/index.ts';
export { PROTOCOL_VERSION } from './external/protocol.ts';
export { GenericHttpAdapter, type HttpConfig } from './http.ts';
export { GenericJobAdapter, type JobConfig } from './job.ts';
export type { DefinitionProfile } from './profile.ts';
export { GENERIC_PROFILES } from './profiles.ts';
