import '@agent-mux/core';

export {
  builtInAdapters,
  ConfiguredClient,
  type ConfiguredClientOptions,
  createConfiguredClient as createClient,
  type UntrustedAgent,
} from '@agent-mux/adapters/client';
export * from '@agent-mux/core';
