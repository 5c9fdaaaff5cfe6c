import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { AgentMuxError } from '../../contract/errors.ts';
import { buildChildEnv } from '../env.ts';
import { type Elsewhere, INVOCATION_ENV_ALLOW_LIST, placeScratchDir, wrapInvocation } from '../invocation.ts';
import { AgentProcess, type ProcessExit } from '../process.ts';
import { RUN_ID_VARIABLE } from '../terminate.ts';

/** Neither an installer nor a version may print more than this and be heard. */
const OUTPUT_LIMIT = 1_000_000;

export interface PlaceCommand {
  argv: readonly string[];
  /** Of this machine, for the client of the place. */
  hostEnv: NodeJS.ProcessEnv;
  timeoutMs: number;
  /** Default: the home of the user there; a container's or pod's own folder. */
  cwd?: string;
  onLine?: (line: string) => void;
}

export interface PlaceOutcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** One command in another place, by the same way as an agent. Throws what kept it from being run, and TIMEOUT. */
export async function runInPlace(place: Elsewhere, command: PlaceCommand): Promise<PlaceOutcome> {
  const { argv, hostEnv, timeoutMs, onLine } = command;
  const [program = '', ...args] = argv;
  const token = randomBytes(16).toString('hex');
  const runId = randomUUID();
  const env = buildChildEnv({
    hostEnv,
    envAllowList: INVOCATION_ENV_ALLOW_LIST[place.mode],
    extra: { [RUN_ID_VARIABLE]: runId },
  });
  const there: Elsewhere = place.mode === 'ssh' ? { ...place, remoteCwd: place.remoteCwd ?? '~' } : place;
  const spawn = { command: program, args, env, cwd: command.cwd ?? tmpdir(), usePty: false, stdin: '' };
  const plan = wrapInvocation(spawn, there, { token, scratchDir: placeScratchDir(token), agentEnv: {} });
  const output = { stdout: '', stderr: '' };
  const process = new AgentProcess(plan, runId, {
    lines: (source, lines) => {
      for (const line of lines) {
        if (output[source].length < OUTPUT_LIMIT) output[source] += `${line}\n`;
        onLine?.(line);
      }
    },
    lineCut: () => {},
    closed: () => {},
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    void process.terminate();
  }, timeoutMs);
  const exit = await process.done;
  clearTimeout(timer);
  if (late) throw new AgentMuxError('TIMEOUT', `${program} took longer than ${timeoutMs} ms there`);
  return { code: codeOf(exit), ...output };
}

function codeOf({ code, spawnError, lost }: ProcessExit): number {
  if (spawnError instanceof AgentMuxError) throw spawnError;
  if (spawnError) throw new AgentMuxError('SPAWN_ERROR', spawnError.message, { cause: spawnError });
  if (lost !== undefined) throw new AgentMuxError('NETWORK_ERROR', `the connection was lost: ${lost}`);
  return code ?? 1;
}
