import type { AgentQuery, ModelCapabilities } from '@agent-mux/core';
import { modelsFrom } from '../pi-family/index.ts';
import { parseRecord } from '../shared/json.ts';

/** Those with a key. */
export const MODEL_QUERY: AgentQuery<ModelCapabilities[]> = {
  args: ['models', '--json'],
  parse({ stdout }) {
    const answer = parseRecord(stdout);
    if (!Array.isArray(answer?.models)) throw new Error('the models could not be listed');
    return modelsFrom(answer.models);
  },
};
