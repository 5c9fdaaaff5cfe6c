export { ATTACHED } from './capabilities.ts';
export { type FamilyDialect, KILO_DIALECT, OPENCODE_DIALECT } from './dialect.ts';
export { familyHooks } from './hooks.ts';
export { familyCodec } from './server/codec.ts';
export { basicAuth, eventsPath, HEALTH_PATH } from './server/own-server.ts';
export { familyAuthChecks, familySpec, PROVIDER_KEYS } from './spec.ts';
