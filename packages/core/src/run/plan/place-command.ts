import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { CommandOutput } from '../../contract/plugins.ts';
import { buildChildEnv } from '../../env/child-env.ts';
import { type CommandWatch, runCommand } from '../../process/command.ts';
import { RUN_ID_VARIABLE } from '../../process/terminate.ts';
import { type Elsewhere, INVOCATION_ENV_ALLOW_LIST, placeScratchDir, wrapInvocation } from './invocation.ts';

export interface PlaceCommand extends CommandWatch {
  argv: readonly string[];
  /** Of this machine, for the client of the place. */
  hostEnv: NodeJS.ProcessEnv;
  /** Default: the home of the user there; a container's or pod's own folder. */
  cwd?: string;
}

/** One command in another place, by the same way as an agent. Throws what kept it from being run, and TIMEOUT. */
export function runInPlace(place: Elsewhere, command: PlaceCommand): Promise<CommandOutput> {
  const [program = '', ...args] = command.argv;
  const token = randomBytes(16).toString('hex');
  const runId = randomUUID();
  const env = buildChildEnv({
    hostEnv: command.hostEnv,
    envAllowList: INVOCATION_ENV_ALLOW_LIST[place.mode],
    extra: { [RUN_ID_VARIABLE]: runId },
  });
  const there: Elsewhere = place.mode === 'ssh' ? { ...place, remoteCwd: place.remoteCwd ?? '~' } : place;
  const spawn = { command: program, args, env, cwd: command.cwd ?? tmpdir(), usePty: false, stdin: '' };
  const plan = wrapInvocation(spawn, there, { token, scratchDir: placeScratchDir(token), agentEnv: {} });
  return runCommand(plan, runId, command);
}
