/** `@agent-mux/adapters/client`: a client with every built-in agent, each loaded on first use. */
import '@agent-mux/core';

export { BUILT_IN_MANIFESTS, builtInAdapters, preloadAdapters } from './catalog.ts';
export {
  ConfiguredClient,
  type ConfiguredClientOptions,
  createConfiguredClient,
  type UntrustedAgent,
} from './configured-client.ts';
