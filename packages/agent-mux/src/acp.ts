/** Codec for agents that speak the Agent Client Protocol. */
export * from '@agent-mux/adapters/acp';
