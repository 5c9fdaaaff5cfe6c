import { createHash, randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { AgentAdapter, SpawnArgs } from '../../contract/adapter.ts';
import { AgentMuxError, ValidationError } from '../../contract/errors.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import { buildChildEnv, filterAdapterEnv } from '../../env/child-env.ts';
import { requirePty } from '../../process/pty.ts';
import type { SpawnPlan } from '../../process/remote/link.ts';
import { RUN_ID_VARIABLE } from '../../process/terminate.ts';
import { notInstalled } from '../../registry/registry-errors.ts';
import { addHooks } from './hook-launch.ts';
import { INVOCATION_ENV_ALLOW_LIST, type RemoteInvocation, remoteScratchDir, wrapInvocation } from './invocation.ts';

/** Maximum bytes of one argument on Linux; more makes the spawn fail with E2BIG. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

export interface PlanContext {
  hostEnv: NodeJS.ProcessEnv;
  hostSignals: readonly string[];
  /** Names from the user's own configuration of the agent. */
  configNames?: readonly string[];
  /** Path of the agent's command. Null if not found; then only an agent started by another command can run. */
  cliPath: string | null;
}

export interface PlannedSpawn {
  plan: SpawnPlan;
  /** Variables that the adapter passes on although they belong to the host, not to the agent. */
  dropped: readonly string[];
}

/** Plans the exact spawn from options: the adapter's arguments, the environment, the remote wrapper. */
export function planSpawn(adapter: AgentAdapter, options: ResolvedRunOptions, context: PlanContext): PlannedSpawn {
  const { invocation } = options;
  if (invocation.mode !== 'local') return planRemote(adapter, options, invocation, context);
  const { hostEnv, hostSignals: allHostSignals, configNames = [] } = context;
  const envAllowList = [...(adapter.envAllowList ?? []), ...configNames];
  const passed = { hostEnv, envAllowList, inheritEnv: options.inheritEnv, allHostSignals };
  const built = buildChecked(adapter, options, buildChildEnv(passed));
  const isOwn = built.command === adapter.cliCommand;
  if (isOwn && context.cliPath === null && !adapter.needsNoInstall) throw notInstalled(adapter, { env: hostEnv });
  const command = isOwn && context.cliPath ? context.cliPath : built.command;
  const { kept, dropped } = filterAdapterEnv(built.env, { hostEnv, envAllowList, allHostSignals, options: options });
  const extra = { ...kept, ...options.env, [RUN_ID_VARIABLE]: options.runId };
  return { plan: { ...built, command, env: buildChildEnv({ ...passed, extra }) }, dropped };
}

/**
 * Equal for two launches that differ only in their run: same command, arguments, variables, folder, files, remote
 * target and program file. Only such runs share a process, and an updated program gets a new one.
 */
export function spawnFingerprint(plan: SpawnPlan, scratchDir: string): string {
  const { [RUN_ID_VARIABLE]: _run, ...env } = plan.env;
  const variables = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  const program = statSync(plan.command, { throwIfNoEntry: false });
  const described = JSON.stringify([{ ...plan, env: variables }, program?.ino, program?.mtimeMs, program?.size]);
  // Unguessable names, which therefore match nothing else.
  const unnamed = [scratchDir, plan.remote?.token ?? ''].reduce(
    (text, name) => (name ? text.replaceAll(name, '') : text),
    described,
  );
  return createHash('sha256').update(unnamed).digest('hex');
}

/**
 * The remote agent gets what the adapter and the caller set, and nothing of this machine; its local client the reverse.
 */
function planRemote(
  adapter: AgentAdapter,
  options: ResolvedRunOptions,
  remote: RemoteInvocation,
  { hostEnv, hostSignals }: PlanContext,
): PlannedSpawn {
  const token = randomBytes(16).toString('hex');
  const scratchDir = remoteScratchDir(token);
  const built = buildChecked(adapter, { ...options, scratchDir }, {});
  const env = buildChildEnv({
    hostEnv,
    envAllowList: INVOCATION_ENV_ALLOW_LIST[remote.mode],
    extra: { [RUN_ID_VARIABLE]: options.runId },
    inheritEnv: options.inheritEnv,
    allHostSignals: hostSignals,
  });
  const once = adapter.modes?.find(({ name }) => name === options.mode)?.live === undefined;
  const stdin = once ? (built.stdin ?? '') : built.stdin;
  const { kept, dropped } = filterAdapterEnv(built.env, {
    hostEnv,
    envAllowList: adapter.envAllowList,
    allHostSignals: hostSignals,
    options: { ...options, inheritEnv: false },
    isRemote: true,
  });
  const agentEnv = { ...kept, ...options.env };
  const plan = wrapInvocation({ ...built, stdin, env }, remote, { token, scratchDir, agentEnv });
  // The working directory is a remote one; the local client may run anywhere.
  return { plan: existsSync(plan.cwd) ? plan : { ...plan, cwd: tmpdir() }, dropped };
}

function buildChecked(adapter: AgentAdapter, options: ResolvedRunOptions, env: Record<string, string>): SpawnArgs {
  const built = addHooks(adapter, options, adapter.buildSpawnArgs(options, env), env);
  if (built.usePty) assertTerminal(adapter, options);
  for (const arg of built.args) {
    if (Buffer.byteLength(arg) > MAX_ARGUMENT_BYTES) {
      throw new AgentMuxError(
        'SPAWN_ERROR',
        `an argument for ${adapter.displayName} has ${Buffer.byteLength(arg)} bytes; the limit is ${MAX_ARGUMENT_BYTES}`,
        {
          agent: adapter.agent,
          hint: 'use a shorter prompt, or a mode that reads it from stdin',
        },
      );
    }
  }
  return built;
}

/** Checked before the start: a terminal is opened on this machine by an optional package. */
function assertTerminal({ agent, displayName }: AgentAdapter, { invocation }: ResolvedRunOptions): void {
  if (invocation.mode !== 'local') {
    const problem = `${displayName} needs a terminal, which "${invocation.mode}" does not provide`;
    throw new ValidationError('run options', [{ field: 'invocation.mode', problem }], { agent });
  }
  requirePty(displayName);
}
