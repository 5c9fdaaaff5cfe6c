import type { SettingsPatch } from '@agent-mux/api/schemas';
import { DaemonError } from '../../daemon-error.ts';
import type { Who } from '../../service.ts';

/** Run options that start a program of the caller's choice, decide which program is found, or write a file. */
const OPTIONS = ['mcpServers', 'invocation', 'env', 'inheritEnv', 'tracePath'] as const;
const VARIABLES = ['env', 'hostEnv'] as const;

/**
 * A login in a browser is weaker than the token: it starts agents, and rules decide what those may do. What would run a program
 * without an agent in between needs the token, so that a stolen login is not a shell.
 */
export function assertMaySet(who: Who, patch: SettingsPatch): void {
  if (who === 'token') return;
  const [name] =
    Object.entries(patch.notify?.targets ?? {}).find(
      ([, target]) => target?.type === 'command' && target.command !== undefined,
    ) ?? [];
  if (name === undefined) return;
  throw new DaemonError('FORBIDDEN', `the program of the target "${name}" cannot be set in a browser`, {
    hint: `write it into daemon.notify.targets.${name} of the configuration file, then run "amux down" and "amux up"`,
  });
}

export function assertMayStart(
  who: Who,
  given: { options?: Readonly<Record<string, unknown>>; env?: object; hostEnv?: object | undefined },
): void {
  if (who === 'token') return;
  const { options = {} } = given;
  const option = OPTIONS.find((name) => options[name] !== undefined);
  const variables = VARIABLES.find((name) => Object.keys(given[name] ?? {}).length > 0);
  const field = option === undefined ? variables : `options.${option}`;
  if (field === undefined) return;
  throw new DaemonError('FORBIDDEN', `"${field}" cannot be set in a browser: it decides which programs run`, {
    hint: 'start it in a terminal with "amux new" or "amux schedule", or put it into a profile of the configuration file',
  });
}
