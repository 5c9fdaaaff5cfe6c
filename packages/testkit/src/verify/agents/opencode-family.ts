import type { ScriptedCall, VerifySandbox } from '../agent-setup.ts';

const MODEL = {
  tool_call: true,
  reasoning: true,
  attachment: true,
  modalities: { input: ['text', 'image'], output: ['text'] },
  cost: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
  limit: { context: 200_000, output: 8000 },
  // In addition to those of every thinking model of this provider.
  variants: Object.fromEntries(
    ['none', 'minimal', 'xhigh', 'max'].map((reasoningEffort) => [reasoningEffort, { reasoningEffort }]),
  ),
};

/** The configuration of OpenCode 1.18 and of Kilo 7.7, which is a fork of it. */
export function openCodeConfig(
  { modelUrl }: VerifySandbox,
  { provider, models } = { provider: 'verify', models: ['scripted-model', 'other-model'] },
): string {
  return JSON.stringify({
    model: `${provider}/${models[0]}`,
    small_model: `${provider}/${models[0]}`,
    share: 'disabled',
    autoupdate: false,
    provider: {
      [provider]: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${modelUrl}/v1`, apiKey: 'verify' },
        models: {
          ...Object.fromEntries(models.map((model) => [model, MODEL])),
          'plain-model': { ...MODEL, reasoning: false, variants: {} },
        },
      },
    },
  });
}

/** Both wait for an npm install in their configuration folder unless these files say that it was done. */
export function installedPlugin(folder: string, name: string): Record<string, string> {
  return {
    [`${folder}/package-lock.json`]: JSON.stringify({ packages: { '': { dependencies: { [name]: '*' } } } }),
    [`${folder}/node_modules/.keep`]: '',
  };
}

export const openCodeTools = {
  model: { name: 'verify/scripted-model', seen: 'scripted-model' },
  otherModel: { name: 'verify/other-model', seen: 'other-model' },
  effortlessModel: 'verify/plain-model',
  shellTool: (command: string): ScriptedCall => ({ name: 'bash', input: { command, description: 'verify' } }),
  writeTool: (path: string, content: string): ScriptedCall => ({ name: 'write', input: { filePath: path, content } }),
  readTool: (path: string): ScriptedCall => ({ name: 'read', input: { filePath: path } }),
  questionTool: (question: string, options: readonly string[]): ScriptedCall => ({
    name: 'question',
    input: {
      questions: [
        {
          question,
          header: 'Verify',
          options: options.map((label) => ({ label, description: `choose ${label}` })),
          multiple: false,
        },
      ],
    },
  }),
  subagentTool: (prompt: string): ScriptedCall => ({
    name: 'task',
    input: { description: 'verify', prompt, subagent_type: 'general' },
  }),
};
