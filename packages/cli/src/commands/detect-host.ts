import { type Command, hasFlag, JSON_FLAG, TRUST_FLAG } from '../command.ts';
import { withClient } from '../open-client.ts';
import { print, printJson } from '../output.ts';

export const detectHost: Command = {
  usage: 'amux detect-host [--json]',
  description: 'Prints the agent this shell runs in, detected by the environment variables agents set.',
  flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
  examples: [
    { command: 'amux detect-host', about: 'Print the agent and the variable that identified it' },
    { command: '[ "$(amux detect-host --json | jq -r .agent)" = claude ] && echo inside', about: 'Branch in a script' },
  ],
  maxArgs: 0,
  run: (options) =>
    withClient(options, (client) => {
      const host = client.detectHost();
      if (hasFlag(options, 'json')) return printJson<'detect-host'>(host ?? { agent: null, signal: null });
      return print(
        host ? `${host.agent} (${host.signal} is set)` : 'none: this shell was not started by a known agent',
      );
    }),
};
