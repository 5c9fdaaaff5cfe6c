import { AgentMuxError } from '../contract/errors.ts';
import type { CommandOutput } from '../contract/plugins.ts';
import { durationInWords } from '../duration.ts';
import type { SpawnPlan } from './place/link.ts';
import { AgentProcess, type ProcessExit } from './process.ts';

/** Neither an installer nor a list may print more than this and be heard. */
const OUTPUT_LIMIT = 4_000_000;
/** What an error shows of stderr. */
const SHOWN_CHARS = 2000;

export interface CommandWatch {
  timeoutMs: number;
  onLine?: (line: string) => void;
  /** Ends the command and all that it has started. */
  signal?: AbortSignal;
}

/** Runs one command to its end and keeps what it prints. Throws what kept it from being run, TIMEOUT and ABORTED; leaves no process behind. */
export async function runCommand(plan: SpawnPlan, runId: string, watch: CommandWatch): Promise<CommandOutput> {
  if (watch.signal?.aborted) throw aborted(plan);
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
  // In another place its input went along with it, and the pipe is the life-line.
  if (!plan.place) {
    if (plan.stdin) process.write(plan.stdin);
    process.closeStdin();
  }
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void process.terminate();
  }, watch.timeoutMs);
  const end = () => void process.terminate();
  watch.signal?.addEventListener('abort', end, { once: true });
  const exit = await process.done;
  clearTimeout(timer);
  watch.signal?.removeEventListener('abort', end);
  if (watch.signal?.aborted) throw aborted(plan);
  if (late) {
    const message = `${plan.command} took longer than ${durationInWords(watch.timeoutMs)}; ${quoteStderr(output.stderr)}`;
    throw new AgentMuxError('TIMEOUT', message);
  }
  return { exitCode: codeOf(exit), ...output };
}

function aborted({ command }: SpawnPlan): AgentMuxError {
  return new AgentMuxError('ABORTED', `${command} was aborted`);
}

function codeOf({ code, spawnError, lost }: ProcessExit): number {
  if (spawnError instanceof AgentMuxError) throw spawnError;
  if (spawnError) throw new AgentMuxError('SPAWN_ERROR', spawnError.message, { cause: spawnError });
  if (lost !== undefined) throw new AgentMuxError('NETWORK_ERROR', `the connection was lost: ${lost}`);
  return code ?? 1;
}

/** The end of what was said on stderr, as part of a sentence. */
export function quoteStderr(stderr: string): string {
  const heard = stderr.trimEnd();
  if (heard === '') return 'nothing was heard on stderr';
  return `stderr says: ${heard.length > SHOWN_CHARS ? `…${heard.slice(-SHOWN_CHARS)}` : heard}`;
}
