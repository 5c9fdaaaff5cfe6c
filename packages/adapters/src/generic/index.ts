export { type CliConfig, DEFAULT_SILENCE_MS, defineCliAgent } from './cli.ts';
export { adaptersFromDefinitions, type DefinedAdapters } from './definitions.ts';
export { defineExternalAgent, type ExternalConfig } from './external/index.ts';
export { PROTOCOL_VERSION } from './external/protocol.ts';
export { defineHttpAgent, type HttpConfig } from './http.ts';
export { defineJobAgent, type JobConfig } from './job.ts';
export type { DefinitionProfile } from './profile.ts';
export { GENERIC_PROFILES } from './profiles.ts';
