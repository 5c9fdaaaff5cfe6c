import type { AgentQuery, ModelCapabilities } from '@agent-mux/core';
import { number, parseRecord, records, text, texts, word } from '../shared/json.ts';

/** As `codex debug models` of 0.166 lists them; prices are not in it. */
export const MODELS: readonly ModelCapabilities[] = [
  model('gpt-6.1-sol', 'GPT-6.1-Sol', 272_000),
  model('gpt-6-astra', 'GPT-6-Astra', 272_000),
  model('gpt-6.1-terra', 'GPT-6.1 Terra', 500_000),
  model('gpt-6-sol', 'GPT-6-Sol', 272_000),
  model('gpt-6-luna', 'GPT-6-Luna', 272_000),
  model('gpt-5.6-sol', 'GPT-5.6-Sol', 272_000),
  model('gpt-5.6-terra', 'GPT-5.6-Terra', 272_000),
  model('gpt-5.6-luna', 'GPT-5.6-Luna', 272_000),
  model('gpt-5.5', 'GPT-5.5', 272_000),
];

/** The catalog for this login and configuration; the bundled one if no server can be reached. */
export const MODEL_QUERY: AgentQuery<ModelCapabilities[]> = {
  args: ['debug', 'models'],
  parse({ stdout }) {
    const models = parseRecord(stdout)?.models;
    if (!Array.isArray(models)) throw new Error('no catalog of models');
    return records(models)
      .filter(({ visibility }) => visibility === 'list')
      .map((entry) => ({
        id: text(entry.slug) ?? '',
        displayName: word(entry.display_name),
        contextWindow: number(entry.context_window) ?? null,
        maxOutputTokens: null,
        supportsThinking: records(entry.supported_reasoning_levels).length > 0,
        supportsImageInput: texts(entry.input_modalities).includes('image'),
      }));
  },
};

function model(id: string, displayName: string, contextWindow: number): ModelCapabilities {
  return {
    id,
    displayName,
    contextWindow,
    maxOutputTokens: null,
    supportsThinking: true,
    supportsImageInput: true,
  };
}
