import type { AgentSetup } from '../agent-setup.ts';

/** goose 1.34. */
export const gooseSetup: AgentSetup = {
  agent: 'goose',
  cli: 'goose',
  api: 'openai-chat',
  env: ({ modelUrl }) => ({
    GOOSE_DISABLE_KEYRING: '1',
    GOOSE_TELEMETRY_ENABLED: 'false',
    OPENAI_HOST: modelUrl,
    OPENAI_API_KEY: 'verify',
  }),
  files: () => ({ '.config/goose/config.yaml': 'GOOSE_PROVIDER: openai\nGOOSE_MODEL: scripted-model\n' }),
  model: { name: 'scripted-model', seen: 'scripted-model' },
  otherModel: { name: 'other-model', seen: 'other-model' },
  shellTool: (command) => ({ name: 'shell', input: { command } }),
  writeTool: (path, content) => ({ name: 'write', input: { path, content } }),
  readTool: (path) => ({ name: 'tree', input: { path } }),
  // 1.34 calls no `Stop`, which has the answer.
  unmanaged: { args: (prompt) => ['run', '-t', prompt], answerUnreported: true },
  // It silently retries a 429 for more than a minute.
  quirks: { rateLimit: 'silent', composesUnicode: true, reasonHidden: true },
};
