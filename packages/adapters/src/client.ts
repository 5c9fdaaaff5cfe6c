/** `@agent-mux/adapters/client`: a client with every built-in agent, of which none is loaded before it is named. */
import '@agent-mux/core';

export { BUILT_IN_CARDS, builtInAdapters, loadTogether } from './catalogue.ts';
export {
  ConfiguredClient,
  type ConfiguredClientOptions,
  createConfiguredClient,
  type UntrustedAgent,
} from './configured-client.ts';
