import type { ModelCapabilities } from '@agent-mux/core';

/** Those that it comes with, by alias. Of windows it says nothing; a local one has no price. */
export const MODELS: readonly ModelCapabilities[] = [
  {
    id: 'mistral-medium-3.5',
    aliases: ['mistral-vibe-cli-latest'],
    contextWindow: null,
    maxOutputTokens: null,
    supportsThinking: true,
    supportsImageInput: true,
    pricing: { input: 1.5, output: 7.5 },
  },
  {
    id: 'devstral-small',
    aliases: ['devstral-small-latest'],
    contextWindow: null,
    maxOutputTokens: null,
    supportsThinking: false,
    supportsImageInput: false,
    pricing: { input: 0.1, output: 0.3 },
  },
  {
    id: 'local',
    displayName: 'Devstral in llama.cpp',
    contextWindow: null,
    maxOutputTokens: null,
    supportsThinking: false,
    supportsImageInput: false,
  },
];
