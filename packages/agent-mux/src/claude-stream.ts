/** Codec for agents that print Claude Code's stream format. */
export * from '@agent-mux/adapters/claude-stream';
