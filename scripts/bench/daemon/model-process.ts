/** The scripted model in a separate process, so that the measuring process does not delay it. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { scriptByPrompt, startScriptedModel } from '@agent-mux/testkit';

const own = fileURLToPath(import.meta.url);

export interface ModelProcess {
  url: string;
  close(): Promise<void>;
}

/** The prompt contains the answer. */
export async function startModelProcess(models: readonly string[]): Promise<ModelProcess> {
  const child = spawn(process.execPath, [...process.execArgv, own, ...models], { stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  for await (const url of createInterface(child.stdout))
    return {
      url,
      close() {
        child.stdin.end();
        return closed;
      },
    };
  throw new Error('the scripted model has not started');
}

if (process.argv[1] === own) {
  const model = await startScriptedModel({ models: process.argv.slice(2), scenario: scriptByPrompt() });
  console.log(model.url);
  process.stdin.on('end', () => void model.close()).resume();
}
