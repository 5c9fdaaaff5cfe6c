import type { AgentProof } from '../agent-proof.ts';

const CONFIG = (modelUrl: string) => `name: proof
version: 0.0.1
schema: v1
models:
  - name: scripted
    provider: openai
    model: scripted-model
    apiBase: ${modelUrl}/v1
    apiKey: proof
    roles: [chat]
    capabilities: [tool_use]
    defaultCompletionOptions:
      contextLength: 1000000
      maxTokens: 4096
`;

/** Continue CLI 1.5.47. */
export const continueProof: AgentProof = {
  agent: 'continue',
  cli: 'continue',
  api: 'openai-chat',
  // A start reads 13 MB of JavaScript.
  slowModes: ['print'],
  env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0' }),
  files: ({ modelUrl }) => ({ '.continue/config.yaml': CONFIG(modelUrl) }),
  namedKey: { file: '.continue/config.yaml', from: 'apiKey: proof', to: `apiKey: \${{ secrets.PROOF_NAMED_KEY }}` },
  model: { name: 'scripted-model', seen: 'scripted-model' },
  otherModel: { name: 'scripted-model', seen: 'scripted-model' },
  shellTool: (command) => ({ name: 'Bash', input: { command } }),
  writeTool: (path, content) => ({ name: 'Write', input: { filepath: path, content } }),
  // It tries again ten times, up to half a minute apart, and says nothing.
  quirks: { rateLimit: 'silent', serverError: 'silent', repeatsAfterDrop: true },
};
