import type { AgentQuery, ModelCapabilities } from '@agent-mux/core';

/**
 * As `copilot help config` of 1.0.102 lists them; it has neither prices nor windows. GitHub decides which of them an
 * account has.
 */
export const MODELS: readonly ModelCapabilities[] = [
  'claude-sonnet-5.5',
  'claude-sonnet-5',
  'claude-fable-5.1',
  'claude-fable-5',
  'claude-opus-5.5',
  'claude-opus-5',
  'claude-opus-4.8',
  'claude-opus-4.8-fast',
  'claude-sonnet-4.6',
  'claude-haiku-5.5',
  'claude-haiku-4.5',
  'gpt-6.1-sol',
  'gpt-6-sol',
  'gpt-6-luna',
  'gpt-6-astra',
  'gpt-5.6-sol',
  'gpt-5.6-terra',
  'gpt-5.6-luna',
  'gpt-5.5',
  'gpt-5.4',
  'gpt-5.4-mini',
  'gpt-5.3-codex',
  'gpt-5-mini',
  'mai-code-1.1-flash',
  'gemini-4-argon',
  'gemini-3.8-flash',
  'gemini-3.7-flash',
  'grok-4.7',
  'grok-4.6',
  'grok-4.5',
  'kimi-k3',
].map(model);

/** The names that its own help lists for the setting `model`. */
export const MODEL_QUERY: AgentQuery<ModelCapabilities[]> = {
  args: ['help', 'config'],
  parse({ stdout }) {
    const list = /^ *`model`:.*\n((?: *- ".*"\n)+)/m.exec(stdout)?.[1];
    if (list === undefined) throw new Error('no list of models');
    return [...list.matchAll(/"(.+)"/g)].map(([, id = '']) => model(id));
  },
};

function model(id: string): ModelCapabilities {
  return { id, contextWindow: null, maxOutputTokens: null, supportsThinking: false, supportsImageInput: false };
}
