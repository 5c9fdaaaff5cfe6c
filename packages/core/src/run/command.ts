import { AgentMuxError } from '../contract/errors.ts';
import type { CommandOutput } from '../contract/plugins.ts';
import type { SpawnPlan } from './place/link.ts';
import { AgentProcess, type ProcessExit } from './process.ts';

/** Neither an installer nor a list may print more than this and be heard. */
const OUTPUT_LIMIT = 4_000_000;

export interface CommandWatch {
  timeoutMs: number;
  onLine?: (line: string) => void;
}

/** Runs one command to its end and keeps what it prints. Throws what kept it from being run, and TIMEOUT; leaves no process behind. */
export async function runCommand(plan: SpawnPlan, runId: string, watch: CommandWatch): Promise<CommandOutput> {
  const output = { stdout: '', stderr: '' };
  const process = new AgentProcess(plan, runId, {
    lines: (source, lines) => {
      for (const line of lines) {
        if (output[source].length < OUTPUT_LIMIT) output[source] += `${line}\n`;
        watch.onLine?.(line);
      }
    },
    lineCut: () => {},
    closed: () => {},
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void process.terminate();
  }, watch.timeoutMs);
  const exit = await process.done;
  clearTimeout(timer);
  if (late) throw new AgentMuxError('TIMEOUT', `${plan.command} took longer than ${watch.timeoutMs} ms`);
  return { exitCode: codeOf(exit), ...output };
}

function codeOf({ code, spawnError, lost }: ProcessExit): number {
  if (spawnError instanceof AgentMuxError) throw spawnError;
  if (spawnError) throw new AgentMuxError('SPAWN_ERROR', spawnError.message, { cause: spawnError });
  if (lost !== undefined) throw new AgentMuxError('NETWORK_ERROR', `the connection was lost: ${lost}`);
  return code ?? 1;
}
