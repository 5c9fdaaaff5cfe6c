import type { ModelCapabilities } from '@agent-mux/core';

/** The bundled models, by alias. It reports no windows. */
export const MODELS: readonly ModelCapabilities[] = [
  {
    id: 'mistral-medium-3.5',
    aliases: ['mistral-vibe-cli-latest'],
    contextWindow: null,
    maxOutputTokens: null,
    supportsThinking: true,
    supportsImageInput: true,
  },
  {
    id: 'devstral-small',
    aliases: ['devstral-small-latest'],
    contextWindow: null,
    maxOutputTokens: null,
    supportsThinking: false,
    supportsImageInput: false,
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
