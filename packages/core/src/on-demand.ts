import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * What is loaded when it is used, and not before: start-up time and memory are part of the interface. `imports` in
 * package.json says where each lies, here and in what is published. Loaded synchronously, so that what uses it need not
 * be asynchronous; and never by `import()` as well, since node refuses to `require` a module that is being imported.
 */
export const onDemand = {
  auth: (): typeof import('#auth') => require('#auth'),
  doctor: (): typeof import('#doctor') => require('#doctor'),
  hooks: (): typeof import('#hooks') => require('#hooks'),
  installer: (): typeof import('#installer') => require('#installer'),
  jsonCodec: (): typeof import('#json-codec') => require('#json-codec'),
  jsonc: (): typeof import('#jsonc') => require('#jsonc'),
  keptQuota: (): typeof import('#kept-quota') => require('#kept-quota'),
  mcpServers: (): typeof import('#mcp-servers') => require('#mcp-servers'),
  models: (): typeof import('#models') => require('#models'),
  nativeConfigs: (): typeof import('#native-configs') => require('#native-configs'),
  optionSchemas: (): typeof import('#option-schemas') => require('#option-schemas'),
  plugins: (): typeof import('#plugins') => require('#plugins'),
  sessions: (): typeof import('#sessions') => require('#sessions'),
  skills: (): typeof import('#skills') => require('#skills'),
  structured: (): typeof import('#structured') => require('#structured'),
  tomlCodec: (): typeof import('#toml-codec') => require('#toml-codec'),
  yaml: (): typeof import('#yaml') => require('#yaml'),
  yamlCodec: (): typeof import('#yaml-codec') => require('#yaml-codec'),
} as const;
