import { AgentMuxError } from '../contract/errors.ts';
import type { CommandOutput } from '../contract/plugins.ts';
import { formatDuration } from '../duration.ts';
import { AgentProcess, type ProcessExit } from './process.ts';
import type { SpawnPlan } from './remote/link.ts';

/** Maximum output that is stored. */
const OUTPUT_LIMIT = 4_000_000;
/** Maximum characters of stderr in an error. */
const SHOWN_CHARS = 2000;

export interface CommandWatch {
  timeoutMs: number;
  onLine?: (line: string) => void;
  /** Ends the command and its whole process tree. */
  signal?: AbortSignal;
}

/**
 * Runs one command to its end and returns its output. Throws if it could not run, TIMEOUT and ABORTED; leaves no
 * process.
 */
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
  // A remote command got its input with the launch, and the pipe keeps it alive.
  if (!plan.remote) {
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
    const message = `${plan.command} took longer than ${formatDuration(watch.timeoutMs)}; ${quoteStderr(output.stderr)}`;
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

/** The end of stderr as part of a sentence. */
export function quoteStderr(stderr: string): string {
  const text = stderr.trimEnd();
  if (text === '') return 'stderr is empty';
  return `stderr says: ${text.length > SHOWN_CHARS ? `…${text.slice(-SHOWN_CHARS)}` : text}`;
}
