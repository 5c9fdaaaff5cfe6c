import {
  BaseAgentAdapter,
  createClient,
  type EventBody,
  NO_CAPABILITIES,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';

/**
 * A host whose agent runs this shell command, on a terminal if requested. Prints the output of the agent and the
 * scratch folder, and waits.
 */
const [command = '', terminal] = process.argv.slice(2);

class Abandoned extends BaseAgentAdapter {
  readonly agent = 'abandoned';
  readonly displayName = 'Abandoned agent';
  readonly cliCommand = 'sh';
  override readonly needsNoInstall = true;
  override readonly capabilities = {
    ...NO_CAPABILITIES,
    requiresPty: terminal !== undefined,
    approvalModes: ['prompt'] as const,
  };

  buildSpawnArgs({ cwd, scratchDir }: ResolvedRunOptions): SpawnArgs {
    console.log(`scratch ${scratchDir}`);
    const files = { 'secret.json': '{}' };
    return { command: 'sh', args: ['-c', command], env: {}, cwd, usePty: terminal !== undefined, files };
  }

  parseEvent(line: string): EventBody {
    return { type: 'text_delta', delta: line };
  }
}

const client = createClient({ adapters: [new Abandoned()], runIndex: false });
for await (const event of client.run({ agent: 'abandoned', prompt: 'go', cwd: '/' })) {
  if (event.type === 'text_delta') console.log(event.delta);
}
