/** The codec for agents that print the stream of Claude Code. */
export * from '@agent-mux/adapters/claude-stream';
