import { randomBytes, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { CommandOutput } from '../../contract/plugins.ts';
import { buildChildEnv } from '../../env/child-env.ts';
import { type CommandWatch, runCommand } from '../../process/command.ts';
import { RUN_ID_VARIABLE } from '../../process/terminate.ts';
import { INVOCATION_ENV_ALLOW_LIST, type RemoteInvocation, remoteScratchDir, wrapInvocation } from './invocation.ts';

export interface RemoteCommand extends CommandWatch {
  argv: readonly string[];
  /** Environment of this machine, for the client. */
  hostEnv: NodeJS.ProcessEnv;
  /** Default: the remote user's home; a container's or pod's own folder. */
  cwd?: string;
}

/** Runs one command remotely, the same way as an agent. Throws if it could not run, and TIMEOUT. */
export function runRemoteCommand(remote: RemoteInvocation, command: RemoteCommand): Promise<CommandOutput> {
  const [program = '', ...args] = command.argv;
  const token = randomBytes(16).toString('hex');
  const runId = randomUUID();
  const env = buildChildEnv({
    hostEnv: command.hostEnv,
    envAllowList: INVOCATION_ENV_ALLOW_LIST[remote.mode],
    extra: { [RUN_ID_VARIABLE]: runId },
  });
  const there: RemoteInvocation = remote.mode === 'ssh' ? { ...remote, remoteCwd: remote.remoteCwd ?? '~' } : remote;
  const spawn = { command: program, args, env, cwd: command.cwd ?? tmpdir(), usePty: false, stdin: '' };
  const plan = wrapInvocation(spawn, there, { token, scratchDir: remoteScratchDir(token), agentEnv: {} });
  return runCommand(plan, runId, command);
}
