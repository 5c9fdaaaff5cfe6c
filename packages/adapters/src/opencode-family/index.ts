export { FamilyAdapter, familyAuthChecks, PROVIDER_KEYS } from './adapter.ts';
export { ATTACHED } from './capabilities.ts';
export type { FamilyFiles } from './config.ts';
export { type FamilyDialect, KILO_DIALECT, OPENCODE_DIALECT } from './dialect.ts';
export { familyCodec } from './server/codec.ts';
export { basicAuth, eventsPath, HEALTH_PATH } from './server/server.ts';
