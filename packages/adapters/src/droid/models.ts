import type { AgentQuery, ModelCapabilities } from '@agent-mux/core';
import { isRecord, type Json, parseRecord, record, records, text, texts, word } from '../shared/json.ts';

/** Those of 0.215 that are not about to be withdrawn. It reports no windows or prices: it counts in credits. */
export const MODELS: readonly ModelCapabilities[] = [
  model('claude-fable-5.1', 'Fable 5.1'),
  model('claude-fable-5', 'Fable 5'),
  model('claude-opus-5', 'Opus 5'),
  model('claude-opus-5-fast', 'Opus 5 Fast Mode'),
  model('claude-opus-4-8', 'Opus 4.8'),
  model('claude-opus-4-8-fast', 'Opus 4.8 Fast Mode'),
  model('claude-opus-4-7', 'Opus 4.7'),
  model('claude-opus-4-6', 'Opus 4.6'),
  model('claude-opus-4-5-20251101', 'Opus 4.5'),
  model('claude-sonnet-5', 'Sonnet 5'),
  model('claude-sonnet-4-6', 'Sonnet 4.6'),
  model('claude-sonnet-4-5-20250929', 'Sonnet 4.5'),
  model('claude-haiku-4-5-20251001', 'Haiku 4.5'),
  model('gpt-6-astra', 'GPT-6 Astra'),
  model('gpt-5.6-sol', 'GPT-5.6 Sol'),
  model('gpt-5.6-sol-fast', 'GPT-5.6 Sol Fast Mode'),
  model('gpt-5.6-terra', 'GPT-5.6 Terra'),
  model('gpt-5.6-luna', 'GPT-5.6 Luna'),
  model('gpt-5.5', 'GPT-5.5'),
  model('gpt-5.5-fast', 'GPT-5.5 Fast Mode'),
  model('gpt-5.5-pro', 'GPT-5.5 Pro'),
  model('gpt-5.4', 'GPT-5.4'),
  model('gpt-5.4-fast', 'GPT-5.4 Fast Mode'),
  model('gpt-5.4-mini', 'GPT-5.4 Mini'),
  model('gpt-5.4-mini-fast', 'GPT-5.4 Mini Fast Mode'),
  model('gpt-5.3-codex', 'GPT-5.3-Codex'),
  model('gpt-5.3-codex-fast', 'GPT-5.3-Codex Fast Mode'),
  model('gpt-5.2', 'GPT-5.2'),
  model('gemini-3.1-pro-preview', 'Gemini 3.1 Pro'),
  model('gemini-3.8-flash', 'Gemini 3.8 Flash'),
  model('gemini-3.7-flash', 'Gemini 3.7 Flash'),
  model('gemini-3.6-flash', 'Gemini 3.6 Flash'),
  model('gemini-3.5-flash', 'Gemini 3.5 Flash'),
  model('gemini-3-flash-preview', 'Gemini 3 Flash'),
  model('inkling', 'Inkling (Droid Core)'),
  model('glm-5.3-flash', 'GLM-5.3-Flash (Droid Core)', { images: false }),
  model('glm-5.3', 'GLM-5.3 (Droid Core)', { images: false }),
  model('glm-5.2', 'GLM-5.2 (Droid Core)', { images: false }),
  model('kimi-k3', 'Kimi K3 (Droid Core)'),
  model('kimi-k2.6', 'Kimi K2.6 (Droid Core)'),
  model('nemotron-3-ultra', 'Nemotron 3 Ultra (Droid Core)', { images: false }),
  model('deepseek-v4-flash-0731', 'DeepSeek V4 Flash 0731 (Droid Core)', { images: false }),
  model('deepseek-v4-pro', 'DeepSeek V4 Pro (Droid Core)', { images: false }),
  model('grok-4.6', 'Grok 4.6'),
  model('grok-4.5', 'Grok 4.5'),
];
export const DEFAULT_MODEL = 'gpt-5.6-sol';

const REQUEST = { jsonrpc: '2.0', factoryApiVersion: '1.0.0', type: 'request', id: '1' };

/** Includes custom models. It exits when its input ends, and needs neither a session nor a login. */
export const MODEL_QUERY: AgentQuery<ModelCapabilities[]> = {
  args: ['exec', '--input-format', 'stream-jsonrpc', '--output-format', 'stream-jsonrpc'],
  stdin: `${JSON.stringify({ ...REQUEST, method: 'droid.list_models', params: {} })}\n`,
  parse({ stdout }) {
    const answer = stdout
      .split('\n')
      .map(parseRecord)
      .find((message) => message?.id === REQUEST.id);
    if (!isRecord(answer?.result)) throw new Error(word(record(answer?.error).message) ?? 'no list of models came');
    return records(answer.result.models).flatMap(read);
  },
};

function model(id: string, displayName: string, { images = true, thinks = true } = {}): ModelCapabilities {
  return {
    id,
    displayName,
    contextWindow: null,
    maxOutputTokens: null,
    supportsThinking: thinks,
    supportsImageInput: images,
  };
}

function read(entry: Json): ModelCapabilities[] {
  const id = word(entry.id);
  if (!id || entry.disabled === true) return [];
  const thinks = texts(entry.supportedReasoningEfforts).some((effort) => effort !== 'none' && effort !== 'off');
  return [model(id, text(entry.displayName) ?? id, { images: entry.noImageSupport !== true, thinks })];
}
