import type { ModelCapabilities } from '@agent-mux/core';

/**
 * Those that 0.61.0 knows by name, with the windows it assumes. The meaning of `auto` and the aliases depends on the
 * login.
 */
export const MODELS: readonly ModelCapabilities[] = [
  model('auto'),
  model('gemini-3.1-pro-preview'),
  model('gemini-3.1-pro-preview-customtools'),
  model('gemini-3-pro-preview'),
  model('gemini-3-flash-preview'),
  model('gemini-3.8-flash'),
  model('gemini-3.5-flash', ['flash']),
  model('gemini-3.5-flash-lite'),
  model('gemini-3.1-flash-lite', ['flash-lite']),
  model('gemini-3-flash'),
  model('gemini-2.5-pro', ['pro']),
  model('gemma-4-31b-it', [], 256_000),
  model('gemma-4-26b-a4b-it', [], 256_000),
];

function model(id: string, aliases: string[] = [], contextWindow = 1_048_576): ModelCapabilities {
  const isGemini = !id.startsWith('gemma');
  return {
    id,
    ...(aliases.length > 0 ? { aliases } : {}),
    contextWindow,
    maxOutputTokens: null,
    supportsThinking: isGemini,
    supportsImageInput: isGemini,
  };
}
