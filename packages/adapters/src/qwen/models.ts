import type { AgentQuery, ModelCapabilities } from '@agent-mux/core';
import { type Json, number, parseRecord, record, records, word } from '../shared/json.ts';

const ASK = ['initialize', 'get_available_models'].map((subtype) => ({
  type: 'control_request',
  request_id: subtype,
  request: { subtype },
}));

/**
 * The models of the providers in its settings; none if only the environment names one. It starts no session and calls
 * no model.
 */
export const MODEL_QUERY: AgentQuery<ModelCapabilities[]> = {
  args: ['--input-format=stream-json', '--output-format=stream-json', '--chat-recording=false'],
  stdin: ASK.map((request) => `${JSON.stringify(request)}\n`).join(''),
  parse({ stdout }) {
    const replies = stdout.split('\n').map((line) => record(record(parseRecord(line)).response));
    const reply = record(replies.find(({ request_id }) => request_id === 'get_available_models')?.response);
    if (!Array.isArray(reply.models)) throw new Error('no reply that names models');
    return records(reply.models).flatMap((entry) => modelOf(entry) ?? []);
  },
};

function modelOf(entry: Json): ModelCapabilities | undefined {
  const id = word(entry.id);
  if (!id) return undefined;
  const { vision, reasoning } = record(entry.capabilities);
  return {
    id,
    displayName: word(entry.label),
    contextWindow: number(entry.contextWindowSize) ?? null,
    maxOutputTokens: null,
    supportsThinking: reasoning === true,
    supportsImageInput: vision === true,
  };
}
