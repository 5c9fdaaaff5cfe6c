import type { AgentQuery, ModelCapabilities } from '@agent-mux/core';
import { modelsFrom } from '../pi-family/index.ts';
import { parseRecord, record } from '../shared/json.ts';

const QUESTION = { id: 'models', type: 'get_available_models' };

/** Those with a key. `--list-models` has the same in rounded numbers and without prices. */
export const MODEL_QUERY: AgentQuery<ModelCapabilities[]> = {
  args: ['--mode', 'rpc', '--no-session'],
  stdin: `${JSON.stringify(QUESTION)}\n`,
  parse({ stdout }) {
    const answers = stdout.split('\n').map(parseRecord);
    const answer = answers.find((line) => line?.type === 'response' && line.id === QUESTION.id);
    if (answer?.success !== true) throw new Error('the models could not be listed');
    return modelsFrom(record(answer.data).models);
  },
};
