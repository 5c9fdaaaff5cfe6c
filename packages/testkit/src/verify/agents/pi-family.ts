import type { VerifySandbox } from '../agent-setup.ts';

/** The models of a user of pi or omp, as JSON, which is YAML too. */
export function writeModels({ modelUrl }: VerifySandbox, limits: { maxTokens: number }): string {
  const model = (id: string, reasoning = true) => ({
    id,
    name: id,
    reasoning,
    input: ['text', 'image'],
    contextWindow: 200_000,
    ...limits,
    cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  });
  return JSON.stringify({
    providers: {
      verify: {
        baseUrl: modelUrl,
        api: 'anthropic-messages',
        apiKey: 'verify',
        models: [model('scripted-model'), model('other-model'), model('plain-model', false)],
      },
    },
  });
}

/** Over rpc neither pi nor omp has a tool that asks its user, but extensions may add one, like this one. */
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
