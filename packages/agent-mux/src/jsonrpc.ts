/** JSON-RPC lines, for codecs of agents with their own protocol. */
export * from '@agent-mux/adapters/jsonrpc';
