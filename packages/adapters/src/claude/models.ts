import type { ModelCapabilities } from '@agent-mux/core';

/** As 2.1.325 lists them in its `initialize` reply; the window and the output limit are those of its results. */
export const MODELS: readonly ModelCapabilities[] = [
  model('claude-opus-5-5', 'Opus 5.5', ['opus', 'default'], 4, 20),
  model('claude-fable-5-2', 'Fable 5.2', ['fable'], 8, 40),
  model('claude-sonnet-5-5', 'Sonnet 5.5', ['sonnet'], 2, 10),
  model('claude-haiku-5-5', 'Haiku 5.5', ['haiku'], 0.1, 0.5),
];

function model(id: string, displayName: string, aliases: string[], input: number, output: number): ModelCapabilities {
  return {
    id,
    displayName,
    aliases,
    contextWindow: 1_000_000,
    maxOutputTokens: 128_000,
    supportsThinking: true,
    supportsImageInput: true,
    pricing: { input, output },
  };
}
