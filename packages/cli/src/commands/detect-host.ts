import { type Command, isOn, JSON_FLAG, TRUST_FLAG } from '../command.ts';
import { withClient } from '../open-client.ts';
import { print, printJson } from '../output.ts';

export const detectHost: Command = {
  usage: 'amux detect-host [--json]',
  about: 'Says inside of which agent this shell runs, by the variables that agents set for what they start.',
  flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
  examples: [
    { command: 'amux detect-host', about: 'the agent, and the variable that tells' },
    { command: '[ "$(amux detect-host --json | jq -r .agent)" = claude ] && echo inside', about: 'in a script' },
  ],
  maxWords: 0,
  run: (given) =>
    withClient(given, (client) => {
      const host = client.detectHost();
      if (isOn(given, 'json')) return printJson<'detect-host'>(host ?? { agent: null, signal: null });
      return print(
        host ? `${host.agent} (${host.signal} is set)` : 'none: no agent that is known has started this shell',
      );
    }),
};
