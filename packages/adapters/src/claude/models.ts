import type { AgentQuery, ModelCapabilities } from '@agent-mux/core';
import { type Json, parseRecord, record, records, text, word } from '../shared/json.ts';

/** As 2.1.325 lists them in its `initialize` reply; window and output limit are from its results. */
export const MODELS: readonly ModelCapabilities[] = [
  model('claude-opus-5-5', 'Opus 5.5', ['opus', 'default']),
  model('claude-fable-5-2', 'Fable 5.2', ['fable']),
  model('claude-sonnet-5-5', 'Sonnet 5.5', ['sonnet']),
  model('claude-haiku-5-5', 'Haiku 5.5', ['haiku']),
];

function model(id: string, displayName: string, aliases: string[]): ModelCapabilities {
  return {
    id,
    displayName,
    aliases,
    contextWindow: 1_000_000,
    maxOutputTokens: 128_000,
    supportsThinking: true,
    supportsImageInput: true,
  };
}

const HELLO = { type: 'control_request', request_id: 'models', request: { subtype: 'initialize' } };

/** The `initialize` reply names the models of this login. It starts no session and calls no model or server. */
export const MODEL_QUERY: AgentQuery<ModelCapabilities[]> = {
  args: [
    ...['-p', '--verbose', '--input-format', 'stream-json', '--output-format', 'stream-json'],
    ...['--no-session-persistence', '--strict-mcp-config'],
  ],
  stdin: `${JSON.stringify(HELLO)}\n`,
  parse({ stdout }) {
    const replies = stdout.split('\n').map((line) => record(record(parseRecord(line)).response));
    const reply = record(replies.find(({ request_id }) => request_id === HELLO.request_id)?.response);
    if (!Array.isArray(reply.models)) throw new Error('no reply that names models');
    return byModel(records(reply.models));
  },
};

/** Each choice is an alias of a model: `default` and `opus` may mean the same one. */
function byModel(choices: readonly Json[]): ModelCapabilities[] {
  const ids = new Set(choices.map(idOf));
  return [...ids].flatMap((id) => {
    const same = choices.filter((choice) => idOf(choice) === id);
    const own = same.find(({ value }) => value !== 'default') ?? same[0];
    return id === undefined || own === undefined ? [] : [modelOf(id, own, same)];
  });
}

function modelOf(id: string, choice: Json, same: readonly Json[]): ModelCapabilities {
  const description = text(choice.description) ?? '';
  const price = /\$([\d.]+)\/\$([\d.]+) per Mtok/.exec(description);
  return {
    id,
    displayName: description.includes(' · ') ? description.split(' · ')[0] : word(choice.displayName),
    aliases: same.flatMap(({ value }) => word(value) ?? []).filter((alias) => alias !== id),
    contextWindow: null,
    maxOutputTokens: null,
    supportsThinking: choice.supportsAdaptiveThinking === true || choice.supportsEffort === true,
    supportsImageInput: true,
    ...(price ? { pricing: { input: Number(price[1]), output: Number(price[2]) } } : {}),
  };
}

function idOf(choice: Json): string | undefined {
  return word(choice.resolvedModel) ?? word(choice.value);
}
