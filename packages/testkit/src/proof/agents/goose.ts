import type { AgentProof } from '../agent-proof.ts';

/** goose 1.34. */
export const gooseProof: AgentProof = {
  agent: 'goose',
  cli: 'goose',
  api: 'openai-chat',
  env: ({ modelUrl }) => ({
    GOOSE_DISABLE_KEYRING: '1',
    GOOSE_TELEMETRY_ENABLED: 'false',
    OPENAI_HOST: modelUrl,
    OPENAI_API_KEY: 'proof',
  }),
  files: () => ({ '.config/goose/config.yaml': 'GOOSE_PROVIDER: openai\nGOOSE_MODEL: scripted-model\n' }),
  model: { name: 'scripted-model', seen: 'scripted-model' },
  otherModel: { name: 'other-model', seen: 'other-model' },
  shellTool: (command) => ({ name: 'shell', input: { command } }),
  writeTool: (path, content) => ({ name: 'write', input: { path, content } }),
  readTool: (path) => ({ name: 'tree', input: { path } }),
  // 1.34 calls no `Stop`, which has the answer.
  byHand: { args: (prompt) => ['run', '-t', prompt], answerUntold: true },
  // It retries a 429 for more than a minute without a word.
  quirks: { rateLimit: 'silent', composesUnicode: true, reasonHidden: true },
};
