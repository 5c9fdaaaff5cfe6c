import type { AgentAdapter, SpawnArgs } from '../../contract/adapter.ts';
import { ValidationError } from '../../contract/errors.ts';
import type { ResolvedRunOptions } from '../../contract/options.ts';
import { HOOKS_VARIABLE, hookCommand } from '../../hooks/ownership.ts';

/** The adapter's launch arguments, with hooks if requested. `env` is what the process gets from this machine. */
export function addHooks(
  { agent, hooks }: AgentAdapter,
  options: ResolvedRunOptions,
  built: SpawnArgs,
  env: Readonly<Record<string, string>>,
): SpawnArgs {
  if (!options.hooks || !hooks?.forRun) return built;
  const launch = hooks.forRun((event) => hookCommand(agent, event), options.scratchDir);
  const variables = launch.env ?? {};
  const known = { ...env, ...built.env, ...options.env };
  const conflict = Object.keys(variables).find((name) => known[name] !== undefined);
  if (conflict !== undefined) {
    const problem = `the hooks of ${agent} need ${conflict}, which is already set: unset it, or install the hooks in the workspace`;
    throw new ValidationError('run options', [{ field: 'hooks', problem }], { agent });
  }
  const end = built.args.indexOf('--');
  const at = end === -1 ? built.args.length : end;
  return {
    ...built,
    args: built.args.toSpliced(at, 0, ...(launch.args ?? [])),
    env: { ...unset(launch.envDefaults, known), ...built.env, ...variables, [HOOKS_VARIABLE]: 'run' },
    ...(built.files || launch.files ? { files: { ...built.files, ...launch.files } } : {}),
  };
}

/** The defaults for variables that are not set. */
export function unset(
  defaults: Readonly<Record<string, string>> = {},
  known: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(defaults).filter(([name]) => known[name] === undefined));
}
