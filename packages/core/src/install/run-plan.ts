import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { lookupBinary } from '../binaries/lookup-binary.ts';
import type { AgentAdapter, Spawner } from '../contract/adapter.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { InstallOptions, InstallPlan, PlannedCommand } from '../contract/upkeep.ts';
import { installerEnv } from '../env/installer-env.ts';
import { runCommand } from '../process/command.ts';
import { RUN_ID_VARIABLE } from '../process/terminate.ts';
import { redactSecrets } from '../redact/redact.ts';

/** Some fetch hundreds of megabytes. */
const INSTALL_LIMIT_MS = 15 * 60_000;

export interface InstallSurroundings {
  adapter: AgentAdapter;
  hostEnv: NodeJS.ProcessEnv;
  hostSignals: readonly string[];
}

/** One command after the other, until one fails. */
export async function runPlan(
  { commands }: InstallPlan,
  around: InstallSurroundings,
  { onProgress, signal, spawner }: Pick<InstallOptions, 'onProgress' | 'signal' | 'spawner'>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const tell = onProgress && ((line: string) => onProgress(redactSecrets(line)));
  const all = { code: 0, stdout: '', stderr: '' };
  for (const command of commands) {
    const { code, stdout, stderr } = spawner
      ? await runBySpawner(spawner, command, around, tell)
      : await runHere(command, around, { onLine: tell, signal });
    all.code = code;
    all.stdout += stdout;
    all.stderr += stderr;
    if (code !== 0) break;
  }
  return all;
}

async function runBySpawner(
  spawner: Spawner,
  { command, args }: PlannedCommand,
  { adapter, hostEnv, hostSignals }: InstallSurroundings,
  tell: ((line: string) => void) | undefined,
) {
  const output = await spawner(command, args, { env: installerEnv(adapter, hostEnv, hostSignals), cwd: tmpdir() });
  if (tell) for (const line of `${output.stdout}${output.stderr}`.split('\n').filter(Boolean)) tell(line);
  return output;
}

async function runHere(
  { command, args }: PlannedCommand,
  { adapter, hostEnv, hostSignals }: InstallSurroundings,
  watch: { onLine?: (line: string) => void; signal?: AbortSignal; timeoutMs?: number } = {},
) {
  const program = await lookupBinary(command, { env: hostEnv });
  if (program === null) {
    throw new AgentMuxError('SPAWN_ERROR', `${command} is not on the PATH`, {
      agent: adapter.agent,
      hint: `install ${command}, or choose another way (amux detect ${adapter.agent} lists them)`,
    });
  }
  const runId = randomUUID();
  const env = { ...installerEnv(adapter, hostEnv, hostSignals), [RUN_ID_VARIABLE]: runId };
  // Not in the person's folder: a project's .npmrc would decide from where the agent comes.
  const plan = { command: program, args, env, cwd: tmpdir(), usePty: false, stdin: '' };
  const { exitCode, stdout, stderr } = await runCommand(plan, runId, { timeoutMs: INSTALL_LIMIT_MS, ...watch });
  return { code: exitCode, stdout, stderr };
}

/** What package managers say, and what helps. */
const REMEDIES: readonly { said: RegExp; remedy: string }[] = [
  {
    said: /EACCES|permission denied|not writable/i,
    remedy:
      'let npm use a folder of your own instead of root rights: npm config set prefix ~/.local, and put ~/.local/bin on PATH',
  },
  {
    said: /ETARGET|No matching version|No matching distribution/i,
    remedy: 'there is no such version; try another one',
  },
  { said: /E404|404 Not Found/i, remedy: 'the package was not found; look at the registry that npm is set to' },
  {
    said: /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|Could not resolve host|network/i,
    remedy: 'the network was not reached; look at it and at the proxy settings, then try again',
  },
  { said: /ENOSPC|No space left/i, remedy: 'the disk is full' },
  { said: /EBADENGINE|Unsupported engine/i, remedy: 'it needs another version of Node.js' },
  { said: /externally-managed-environment/i, remedy: 'use a virtual environment, pipx or uv for it' },
];

export function findRemedy(output: string): string | undefined {
  return REMEDIES.find(({ said }) => said.test(output))?.remedy;
}
