import { parseArgs } from 'node:util';
import { scriptByPrompt } from './prompt-script.ts';
import type { ModelRequest, OtherRequest } from './request.ts';
import { startScriptedModel } from './server.ts';

/**
 * `node serve.ts [--port N] [--full]`: a model for manual tests of a CLI, scripted by the prompt. Prints its address as
 * a JSON line, then one line for each request; with `--full` everything that the client sent.
 */
const { values } = parseArgs({ options: { port: { type: 'string' }, full: { type: 'boolean' } } });

const model = await startScriptedModel({
  port: Number(values.port ?? 0),
  scenario: scriptByPrompt(),
  observe: (request) => print(values.full ? request : summary(request)),
});
print({ url: model.url });

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void model.close());

function summary(request: ModelRequest | OtherRequest): unknown {
  if (!('api' in request)) return request;
  const { index, api, path, purpose, turn, step, stream, effort, malformed } = request;
  const prompt = request.prompt.slice(-200);
  const toolResults = request.toolResults.map((result) => result.output.slice(0, 100));
  return {
    index,
    api,
    path,
    model: request.model,
    purpose,
    turn,
    step,
    stream,
    effort,
    prompt,
    toolResults,
    malformed,
  };
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
