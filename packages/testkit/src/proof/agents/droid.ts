import type { AgentProof, ProofPlace } from '../agent-proof.ts';

const model = (name: string, { modelUrl }: ProofPlace) => ({
  model: name,
  displayName: name,
  baseUrl: `${modelUrl}/v1`,
  apiKey: 'proof',
  provider: 'generic-chat-completion-api',
  maxOutputTokens: 8000,
  enableThinking: true,
  reasoningEffort: 'medium',
  noImageSupport: false,
});

/** Droid 0.215, with models of the user's own: then it needs no account. */
export const droidProof: AgentProof = {
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
  // The model says itself how much harm a command can do; that must not open a door.
  shellTool: (command) => ({
    name: 'Execute',
    input: { command, summary: 'proof', riskLevel: 'low', riskLevelReason: 'proof', timeout: 60 },
  }),
  writeTool: (path, content) => ({ name: 'Create', input: { file_path: path, content } }),
  readTool: (path) => ({ name: 'Read', input: { file_path: path } }),
  questionTool: (question, options) => ({
    name: 'AskUser',
    input: {
      questionnaire: [
        `1. [question] ${question}`,
        '[topic] Proof',
        ...options.map((option) => `[option] ${option}`),
        '',
      ].join('\n'),
    },
  }),
  // Such tools are found by a search and not listed; calling one at once works too.
  mcpTool: (server, tool) => `${server}___${tool}`,
  // A denial ends the turn: the model is not asked again. Its comment is sent all the same.
  byHand: {
    args: (prompt) => ['exec', '-m', 'custom:scripted-model-0', '--skip-permissions-unsafe', prompt],
    promptUntold: true,
    answerUntold: true,
  },
  // Its screen, unlike `droid exec`, wants a login before anything else, whatever models there are (0.215.0).
  terminal: 'its screen begins with a login at Factory; a key is asked about there, too',
  quirks: { reasonHidden: true, maxPromptChars: 1_000_000 },
  // In exec a 429 or a 500 is tried again for more than a minute without a word.
  modeQuirks: { exec: { rateLimit: 'silent', serverError: 'silent', hooksWithoutPrompt: true } },
};
