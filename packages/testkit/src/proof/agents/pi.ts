import type { AgentProof, ProofPlace } from '../agent-proof.ts';

const model = (id: string) => ({
  id,
  name: id,
  reasoning: true,
  input: ['text', 'image'],
  contextWindow: 200_000,
  maxTokens: 32_000,
  cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
});

const models = ({ modelUrl }: ProofPlace): string =>
  JSON.stringify({
    providers: {
      proof: {
        baseUrl: modelUrl,
        api: 'anthropic-messages',
        apiKey: 'proof',
        models: [model('scripted-model'), model('other-model')],
      },
    },
  });

/** Over rpc neither pi nor omp has a tool that asks its user, but extensions may add one: this stands for a user's. */
export const ASKING_EXTENSION = `export default function (pi) {
  pi.registerTool({
    name: 'ask_user',
    label: 'Ask',
    description: 'Asks the user.',
    parameters: {
      type: 'object',
      properties: { question: { type: 'string' }, options: { type: 'array', items: { type: 'string' } } },
      required: ['question', 'options'],
    },
    async execute(id, { question, options }, signal, onUpdate, context) {
      const chosen = await context.ui.select(question, options);
      return { content: [{ type: 'text', text: 'The user chose ' + chosen }], details: {} };
    },
  });
}
`;

/** Pi 0.87. */
export const piProof: AgentProof = {
  agent: 'pi',
  cli: 'pi',
  api: 'anthropic',
  env: () => ({ PI_OFFLINE: '1', PI_TELEMETRY: '0', PI_SKIP_VERSION_CHECK: '1' }),
  files: (place) => ({
    '.pi/agent/models.json': models(place),
    '.pi/agent/settings.json': JSON.stringify({ defaultProvider: 'proof' }),
    '.pi/agent/extensions/ask-user.ts': ASKING_EXTENSION,
  }),
  namedKey: { file: '.pi/agent/models.json', from: '"apiKey":"proof"', to: '"apiKey":"$PROOF_NAMED_KEY"' },
  model: { name: 'proof/scripted-model', seen: 'scripted-model' },
  nativeModel: 'other-model',
  otherModel: { name: 'proof/other-model', seen: 'other-model' },
  shellTool: (command) => ({ name: 'bash', input: { command } }),
  writeTool: (path, content) => ({ name: 'write', input: { path, content } }),
  readTool: (path) => ({ name: 'read', input: { path } }),
  questionTool: (question, options) => ({ name: 'ask_user', input: { question, options } }),
  quirks: { reasonHidden: true, maxPromptChars: 3_000_000 },
};
