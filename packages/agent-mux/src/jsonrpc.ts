/** Lines of JSON-RPC, for codecs of agents that speak a protocol of their own over it. */
export * from '@agent-mux/adapters/jsonrpc';
