import type { SettingsPatch } from '@agent-mux/api/schemas';
import { DaemonError } from '../../daemon-error.ts';
import type { Actor } from '../../service.ts';

/** Run options that start a program of the caller's choice, decide which program is found, or write a file. */
const OPTIONS = ['mcpServers', 'invocation', 'env', 'inheritEnv', 'tracePath'] as const;
const VARIABLES = ['env', 'hostEnv'] as const;

/**
 * A browser login has fewer rights than the token: it can start agents, which are subject to rules. Running a program
 * without an agent needs the token, so that a stolen login is not a shell.
 */
export function assertMaySet(actor: Actor, patch: SettingsPatch): void {
  if (actor === 'token') return;
  const [name] =
    Object.entries(patch.notify?.targets ?? {}).find(
      ([, target]) => target?.type === 'command' && target.command !== undefined,
    ) ?? [];
  if (name === undefined) return;
  throw new DaemonError('FORBIDDEN', `the command of target "${name}" cannot be set from a browser`, {
    hint: `set it in daemon.notify.targets.${name} of the configuration file, then run "amux down" and "amux up"`,
  });
}

export function assertMayStart(
  actor: Actor,
  request: { options?: Readonly<Record<string, unknown>>; env?: object; hostEnv?: object | undefined },
): void {
  if (actor === 'token') return;
  const { options = {} } = request;
  const option = OPTIONS.find((name) => options[name] !== undefined);
  const variables = VARIABLES.find((name) => Object.keys(request[name] ?? {}).length > 0);
  const field = option === undefined ? variables : `options.${option}`;
  if (field === undefined) return;
  throw new DaemonError('FORBIDDEN', `"${field}" cannot be set from a browser: it decides which programs run`, {
    hint: 'run "amux new" or "amux schedule" in a terminal, or set it in a profile of the configuration file',
  });
}
