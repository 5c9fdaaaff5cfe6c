import { type AgentAdapter, type AgentConfig, type AuthState, NO_CAPABILITIES } from '@agent-mux/core';

/** A complete adapter that extends no class. */
export function plainAdapter(agent: string, over: Partial<AgentAdapter> = {}): AgentAdapter {
  return {
    agent,
    displayName: agent.toUpperCase(),
    cliCommand: agent,
    capabilities: { ...NO_CAPABILITIES },
    models: [],
    configSchema: { agent, fields: [], configFilePaths: [], projectConfigFilePaths: [] },
    buildSpawnArgs: ({ cwd }) => ({ command: agent, args: [], env: {}, cwd, usePty: false }),
    parseEvent: () => null,
    detectAuth: async (): Promise<AuthState> => ({ status: 'authenticated' }),
    getAuthGuidance: () => ({ agent, steps: [], methods: [] }),
    sessionDir: () => '/none',
    parseSessionFile: () => Promise.reject(new Error('none')),
    listSessionFiles: async () => [],
    readConfig: async (): Promise<AgentConfig> => ({}),
    writeConfig: async () => {},
    ...over,
  };
}
