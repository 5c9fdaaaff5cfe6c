import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Modules loaded on first use: start-up time and memory are part of the interface. `imports` in package.json maps each
 * one, in the sources and in the published package. Loaded synchronously, so that callers need not be async; and never
 * with `import()` as well, since node refuses to `require` a module that is being imported.
 */
export const lazyModules = {
  auth: (): typeof import('#auth') => require('#auth'),
  doctor: (): typeof import('#doctor') => require('#doctor'),
  hooks: (): typeof import('#hooks') => require('#hooks'),
  installer: (): typeof import('#installer') => require('#installer'),
  jsonCodec: (): typeof import('#json-codec') => require('#json-codec'),
  jsonc: (): typeof import('#jsonc') => require('#jsonc'),
  keptQuota: (): typeof import('#stored-quota') => require('#stored-quota'),
  mcpServers: (): typeof import('#mcp-servers') => require('#mcp-servers'),
  models: (): typeof import('#models') => require('#models'),
  nativeConfigs: (): typeof import('#native-configs') => require('#native-configs'),
  optionSchemas: (): typeof import('#option-schemas') => require('#option-schemas'),
  plugins: (): typeof import('#plugins') => require('#plugins'),
  sessions: (): typeof import('#sessions') => require('#sessions'),
  skills: (): typeof import('#skills') => require('#skills'),
  structured: (): typeof import('#structured') => require('#structured'),
  terminal: (): typeof import('#terminal') => require('#terminal'),
  tomlCodec: (): typeof import('#toml-codec') => require('#toml-codec'),
  yaml: (): typeof import('#yaml') => require('#yaml'),
  yamlCodec: (): typeof import('#yaml-codec') => require('#yaml-codec'),
} as const;
