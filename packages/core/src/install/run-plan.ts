import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { lookupBinary } from '../binaries/lookup-binary.ts';
import type { AgentAdapter, Spawner } from '../contract/adapter.ts';
import { AgentMuxError } from '../contract/errors.ts';
import type { InstallOptions, InstallPlan, PlannedCommand } from '../contract/management.ts';
import { installerEnv } from '../env/installer-env.ts';
import { runCommand } from '../process/command.ts';
import { RUN_ID_VARIABLE } from '../process/terminate.ts';
import { redactSecrets } from '../redact/redact.ts';

/** Some installers download hundreds of megabytes. */
const INSTALL_LIMIT_MS = 15 * 60_000;

export interface InstallContext {
  adapter: AgentAdapter;
  hostEnv: NodeJS.ProcessEnv;
  hostSignals: readonly string[];
}

/** Runs the commands in order until one fails. */
export async function runPlan(
  { commands }: InstallPlan,
  context: InstallContext,
  { onProgress, signal, spawner }: Pick<InstallOptions, 'onProgress' | 'signal' | 'spawner'>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const report = onProgress && ((line: string) => onProgress(redactSecrets(line)));
  const all = { code: 0, stdout: '', stderr: '' };
  for (const command of commands) {
    const { code, stdout, stderr } = spawner
      ? await runBySpawner(spawner, command, context, report)
      : await runHere(command, context, { onLine: report, signal });
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
  { adapter, hostEnv, hostSignals }: InstallContext,
  report: ((line: string) => void) | undefined,
) {
  const output = await spawner(command, args, { env: installerEnv(adapter, hostEnv, hostSignals), cwd: tmpdir() });
  if (report) for (const line of `${output.stdout}${output.stderr}`.split('\n').filter(Boolean)) report(line);
  return output;
}

async function runHere(
  { command, args }: PlannedCommand,
  { adapter, hostEnv, hostSignals }: InstallContext,
  watch: { onLine?: (line: string) => void; signal?: AbortSignal; timeoutMs?: number } = {},
) {
  const program = await lookupBinary(command, { env: hostEnv });
  if (program === null) {
    throw new AgentMuxError('SPAWN_ERROR', `${command} is not on PATH`, {
      agent: adapter.agent,
      hint: `install ${command}, or choose another method (run "amux detect ${adapter.agent}" to list them)`,
    });
  }
  const runId = randomUUID();
  const env = { ...installerEnv(adapter, hostEnv, hostSignals), [RUN_ID_VARIABLE]: runId };
  // Not in the current folder: a project's .npmrc could redirect the download.
  const plan = { command: program, args, env, cwd: tmpdir(), usePty: false, stdin: '' };
  const { exitCode, stdout, stderr } = await runCommand(plan, runId, { timeoutMs: INSTALL_LIMIT_MS, ...watch });
  return { code: exitCode, stdout, stderr };
}

/** Hints for errors of package managers. */
const HINTS: readonly { pattern: RegExp; hint: string }[] = [
  {
    pattern: /EACCES|permission denied|not writable/i,
    hint: 'run "npm config set prefix ~/.local" and put ~/.local/bin on PATH, so that npm needs no root access',
  },
  {
    pattern: /ETARGET|No matching version|No matching distribution/i,
    hint: 'the version does not exist; choose another one',
  },
  { pattern: /E404|404 Not Found/i, hint: 'the package was not found; check the registry npm uses' },
  {
    pattern: /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|Could not resolve host|network/i,
    hint: 'the network is unreachable; check it and the proxy settings, then retry',
  },
  { pattern: /ENOSPC|No space left/i, hint: 'the disk is full' },
  { pattern: /EBADENGINE|Unsupported engine/i, hint: 'use another version of Node.js' },
  { pattern: /externally-managed-environment/i, hint: 'use a virtual environment, pipx or uv' },
];

export function findHint(output: string): string | undefined {
  return HINTS.find(({ pattern }) => pattern.test(output))?.hint;
}
