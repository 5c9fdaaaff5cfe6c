import { createHash, randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { AgentAdapter, SpawnArgs } from '../../contract/adapter.ts';
import { AgentMuxError, ValidationError } from '../../contract/errors.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import { buildChildEnv, keepAdapterEnv } from '../../env/child-env.ts';
import type { SpawnPlan } from '../../process/place/link.ts';
import { requirePty } from '../../process/pty.ts';
import { RUN_ID_VARIABLE } from '../../process/terminate.ts';
import { notInstalled } from '../../registry/refusals.ts';
import { addHooks } from './hook-launch.ts';
import { type Elsewhere, INVOCATION_ENV_ALLOW_LIST, placeScratchDir, wrapInvocation } from './invocation.ts';

/** One argument of a command line may have so many bytes on Linux; more makes the spawn itself fail with E2BIG. */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1;

export interface PlanSurroundings {
  hostEnv: NodeJS.ProcessEnv;
  hostSignals: readonly string[];
  /** Named by the user's own configuration of the agent. */
  configNames?: readonly string[];
  /** Where the agent's command was found. Null: nowhere; then only an agent that is started by another command can run. */
  cliPath: string | null;
}

export interface PlannedSpawn {
  plan: SpawnPlan;
  /** Variables that the adapter hands on, and that are the host's and not the agent's. */
  dropped: readonly string[];
}

/** From options to the exact spawn: the adapter's arguments, the environment, the place where it runs. */
export function planSpawn(
  adapter: AgentAdapter,
  options: ResolvedRunOptions,
  surroundings: PlanSurroundings,
): PlannedSpawn {
  const { invocation } = options;
  if (invocation.mode !== 'local') return planElsewhere(adapter, options, invocation, surroundings);
  const { hostEnv, hostSignals: allHostSignals, configNames = [] } = surroundings;
  const envAllowList = [...(adapter.envAllowList ?? []), ...configNames];
  const passed = { hostEnv, envAllowList, inheritEnv: options.inheritEnv, allHostSignals };
  const built = buildChecked(adapter, options, buildChildEnv(passed));
  const isOwn = built.command === adapter.cliCommand;
  if (isOwn && surroundings.cliPath === null && !adapter.needsNoInstall) throw notInstalled(adapter, { env: hostEnv });
  const command = isOwn && surroundings.cliPath ? surroundings.cliPath : built.command;
  const { kept, dropped } = keepAdapterEnv(built.env, { hostEnv, envAllowList, allHostSignals, given: options });
  const extra = { ...kept, ...options.env, [RUN_ID_VARIABLE]: options.runId };
  return { plan: { ...built, command, env: buildChildEnv({ ...passed, extra }) }, dropped };
}

/**
 * The same for two launches that differ in nothing but the run that they are for: command, arguments, variables, folder,
 * files, place, and the program itself. A process is shared by those alone, and an updated one is started anew.
 */
export function likenessOf(plan: SpawnPlan, scratchDir: string): string {
  const { [RUN_ID_VARIABLE]: _run, ...env } = plan.env;
  const variables = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  const program = statSync(plan.command, { throwIfNoEntry: false });
  const told = JSON.stringify([{ ...plan, env: variables }, program?.ino, program?.mtimeMs, program?.size]);
  // Names that nobody can guess, and therefore nothing else.
  const unnamed = [scratchDir, plan.place?.token ?? ''].reduce(
    (text, name) => (name ? text.replaceAll(name, '') : text),
    told,
  );
  return createHash('sha256').update(unnamed).digest('hex');
}

/** The agent there gets what the adapter and the caller set, and nothing of this machine; its client here the reverse. */
function planElsewhere(
  adapter: AgentAdapter,
  options: ResolvedRunOptions,
  place: Elsewhere,
  { hostEnv, hostSignals }: PlanSurroundings,
): PlannedSpawn {
  const token = randomBytes(16).toString('hex');
  const scratchDir = placeScratchDir(token);
  const built = buildChecked(adapter, { ...options, scratchDir }, {});
  const env = buildChildEnv({
    hostEnv,
    envAllowList: INVOCATION_ENV_ALLOW_LIST[place.mode],
    extra: { [RUN_ID_VARIABLE]: options.runId },
    inheritEnv: options.inheritEnv,
    allHostSignals: hostSignals,
  });
  const once = adapter.modes?.find(({ name }) => name === options.mode)?.live === undefined;
  const stdin = once ? (built.stdin ?? '') : built.stdin;
  const { kept, dropped } = keepAdapterEnv(built.env, {
    hostEnv,
    envAllowList: adapter.envAllowList,
    allHostSignals: hostSignals,
    given: { ...options, inheritEnv: false },
    elsewhere: true,
  });
  const agentEnv = { ...kept, ...options.env };
  const plan = wrapInvocation({ ...built, stdin, env }, place, { token, scratchDir, agentEnv });
  // The working folder is one of the other place; here its client may run anywhere.
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
          hint: 'give a shorter prompt, or use a mode that takes it over stdin',
        },
      );
    }
  }
  return built;
}

/** Before anything is started: a terminal is opened on this machine, by a package that need not be there. */
function assertTerminal({ agent, displayName }: AgentAdapter, { invocation }: ResolvedRunOptions): void {
  if (invocation.mode !== 'local') {
    const problem = `"${invocation.mode}" offers no terminal, and ${displayName} needs one`;
    throw new ValidationError('run options', [{ field: 'invocation.mode', problem }], { agent });
  }
  requirePty(displayName);
}
