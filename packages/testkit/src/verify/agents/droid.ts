import type { AgentSetup, VerifySandbox } from '../agent-setup.ts';

const model = (name: string, { modelUrl }: VerifySandbox) => ({
  model: name,
  displayName: name,
  baseUrl: `${modelUrl}/v1`,
  apiKey: 'verify',
  provider: 'generic-chat-completion-api',
  maxOutputTokens: 8000,
  enableThinking: true,
  reasoningEffort: 'medium',
  noImageSupport: false,
});

/** Droid 0.215, with custom models: then it needs no account. */
export const droidSetup: AgentSetup = {
  agent: 'droid',
  cli: 'droid',
  api: 'openai-chat',
  // Both take six seconds and more to start.
  slowModes: ['stream-jsonrpc', 'exec'],
  env: () => ({ FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false' }),
  files: (place) => ({
    '.factory/settings.json': JSON.stringify({
      customModels: ['scripted-model', 'other-model'].map((name) => model(name, place)),
    }),
  }),
  model: { name: 'custom:scripted-model-0', seen: 'scripted-model' },
  otherModel: { name: 'custom:other-model-0', seen: 'other-model' },
  // The model rates the risk of a command itself; that must not allow anything.
  shellTool: (command) => ({
    name: 'Execute',
    input: { command, summary: 'verify', riskLevel: 'low', riskLevelReason: 'verify', timeout: 60 },
  }),
  writeTool: (path, content) => ({ name: 'Create', input: { file_path: path, content } }),
  readTool: (path) => ({ name: 'Read', input: { file_path: path } }),
  questionTool: (question, options) => ({
    name: 'AskUser',
    input: {
      questionnaire: [
        `1. [question] ${question}`,
        '[topic] Verify',
        ...options.map((option) => `[option] ${option}`),
        '',
      ].join('\n'),
    },
  }),
  // Such tools are found by a search and not listed; calling one directly works too.
  mcpTool: (server, tool) => `${server}___${tool}`,
  // A denial ends the turn: the model is not asked again. Its comment is sent all the same.
  unmanaged: {
    args: (prompt) => ['exec', '-m', 'custom:scripted-model-0', '--skip-permissions-unsafe', prompt],
    promptUnreported: true,
    answerUnreported: true,
  },
  // Its terminal UI, unlike `droid exec`, requires a login first, whatever models there are (0.215.0).
  terminal: 'its terminal UI starts with a login at Factory, even with a key',
  quirks: { reasonHidden: true, maxPromptChars: 1_000_000 },
  // In exec a 429 or a 500 is silently retried for more than a minute.
  modeQuirks: { exec: { rateLimit: 'silent', serverError: 'silent', hooksWithoutPrompt: true } },
};
