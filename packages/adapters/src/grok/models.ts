import type { AgentQuery, ModelCapabilities } from '@agent-mux/core';

/** As 1.0.41 offers them over ACP without a network. */
export const MODELS: readonly ModelCapabilities[] = [model('grok-4.6', 'Grok 4.6'), model('grok-4.5', 'Grok 4.5')];
export const DEFAULT_MODEL = 'grok-4.6';

/** `  * grok-4.6 (default)`, `  - grok-4.5`. */
const LISTED = /^ {2}[*-] (\S+)/;

/** Includes custom models; works without a login too. */
export const MODEL_QUERY: AgentQuery<ModelCapabilities[]> = {
  args: ['models'],
  parse({ stdout }) {
    const [, list] = stdout.split('Available models:');
    if (list === undefined) throw new Error('no list of models');
    return list.split('\n').flatMap((line) => {
      const id = LISTED.exec(line)?.[1];
      if (id === undefined) return [];
      return [MODELS.find((known) => known.id === id) ?? { ...model(id), contextWindow: null }];
    });
  },
};

function model(id: string, displayName?: string): ModelCapabilities {
  return {
    id,
    ...(displayName ? { displayName } : {}),
    contextWindow: 500_000,
    maxOutputTokens: null,
    supportsThinking: true,
    supportsImageInput: false,
  };
}
