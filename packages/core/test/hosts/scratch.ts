import { existsSync } from 'node:fs';
import {
  BaseAgentAdapter,
  createClient,
  type EventBody,
  NO_CAPABILITIES,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';

/**
 * A host whose agent runs these commands, one per turn, with its scratch folder in `$SCRATCH`. Prints the result. Drops
 * its privileges if it is root, who may do anything.
 */
const commands = process.argv.slice(2);
if (process.getuid?.() === 0) {
  process.setgid?.(65534);
  process.setuid?.(65534);
}

let scratch = '';
class ScratchAgent extends BaseAgentAdapter {
  readonly agent = 'scratch';
  readonly displayName = 'Scratch agent';
  readonly cliCommand = 'sh';
  override readonly needsNoInstall = true;
  override readonly capabilities = {
    ...NO_CAPABILITIES,
    supportsMultiTurn: true,
    canResume: true,
    approvalModes: ['prompt'] as const,
  };
  #turns = 0;

  buildSpawnArgs({ cwd, scratchDir }: ResolvedRunOptions): SpawnArgs {
    scratch = scratchDir;
    const args = ['-c', commands[this.#turns++] ?? ''];
    const files = { 'sub/helper.md': 'a helper file' };
    return { command: 'sh', args, env: { SCRATCH: scratchDir }, cwd, usePty: false, files };
  }

  parseEvent(line: string): EventBody {
    return { type: 'text_delta', delta: line };
  }
}

const client = createClient({ adapters: [new ScratchAgent()], runIndex: false });
const handle = client.run({ agent: 'scratch', prompt: 'go', cwd: '/', interactive: commands.length > 1 });
const warnings: string[] = [];
let turns = 0;
for await (const event of handle) {
  if (event.type === 'debug') warnings.push(event.code ?? '');
  if (event.type !== 'turn_end') continue;
  turns += 1;
  if (turns < commands.length) await handle.send('continue');
  else void handle.end();
}
const { exitReason, error, text } = await handle;
console.log(JSON.stringify({ exitReason, error: error?.message, text, warnings, left: existsSync(scratch) }));
await client.close();
