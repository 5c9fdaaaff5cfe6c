import type { AgentSetup } from '../agent-setup.ts';

const CONFIG = (modelUrl: string) => `name: verify
version: 0.0.1
schema: v1
models:
  - name: scripted
    provider: openai
    model: scripted-model
    apiBase: ${modelUrl}/v1
    apiKey: verify
    roles: [chat]
    capabilities: [tool_use]
    defaultCompletionOptions:
      contextLength: 1000000
      maxTokens: 4096
`;

/** Continue CLI 1.5.47. */
export const continueSetup: AgentSetup = {
  agent: 'continue',
  cli: 'continue',
  api: 'openai-chat',
  // A start reads 13 MB of JavaScript.
  slowModes: ['print'],
  env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0' }),
  files: ({ modelUrl }) => ({ '.continue/config.yaml': CONFIG(modelUrl) }),
  namedKey: { file: '.continue/config.yaml', from: 'apiKey: verify', to: `apiKey: \${{ secrets.VERIFY_NAMED_KEY }}` },
  model: { name: 'scripted-model', seen: 'scripted-model' },
  otherModel: { name: 'scripted-model', seen: 'scripted-model' },
  shellTool: (command) => ({ name: 'Bash', input: { command } }),
  writeTool: (path, content) => ({ name: 'Write', input: { filepath: path, content } }),
  // It silently retries ten times, up to half a minute apart.
  quirks: { rateLimit: 'silent', serverError: 'silent', repeatsAfterDrop: true },
};
