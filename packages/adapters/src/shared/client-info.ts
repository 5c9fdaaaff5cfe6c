/** Our name and version for an agent that asks for it in its handshake. */
export const CLIENT_INFO = { name: 'agent-mux', title: 'agent-mux', version: '0.1.0' } as const;
