import type { Finding } from '@agent-mux/core';
import { endOnInterrupt } from '../agents/end-on-interrupt.ts';
import { type Command, isOn, JSON_FLAG, TRUST_FLAG } from '../command.ts';
import { closingText, countsOf, groupText, report } from '../doctor/report.ts';
import { EXIT } from '../exit-codes.ts';
import { openClient } from '../open-client.ts';
import { print, printJson } from '../output.ts';
import { aboveProgress, withProgress } from '../screen/progress.ts';

export const doctor: Command = {
  usage: 'amux doctor [AGENT...] [--json]',
  about:
    'Looks at amux itself and at the agents on this machine: binary, version, login, configuration files. Each finding\n' +
    'comes with what helps. Nothing is changed.',
  flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
  examples: [
    { command: 'amux doctor', about: 'everything' },
    { command: 'amux doctor claude codex', about: 'two agents; one that is not installed is an error then' },
    { command: `amux doctor --json | jq '.findings[] | select(.level == "error")'`, about: 'for a script' },
  ],
  notes: ['The exit code is 1 when a finding is an error.'],
  maxWords: Number.POSITIVE_INFINITY,
  async run(given) {
    const client = await openClient(given, {
      listsProblems: true,
      listsFaults: true,
      asksAll: given.words.length === 0,
    });
    const hasEnded = endOnInterrupt(client);
    try {
      const agents = given.words.map((agent) => client.adapterNamed(agent).agent);
      const nameOf = (agent: string) => client.adapters.get(agent).displayName;
      const json = isOn(given, 'json');
      // Where somebody looks, what is known stands there while slow agents are still asked.
      const isSeen = !json && process.stdout.isTTY;
      const show = (found: readonly Finding[]) => {
        const text = hasEnded() ? '' : groupText(found, nameOf);
        if (text !== '') aboveProgress(() => print(`${text}\n`));
      };
      const findings = await withProgress('asking the agents for their versions', () =>
        client.doctor({
          cwd: process.cwd(),
          ...(agents.length > 0 ? { agents } : {}),
          ...(isSeen ? { onFound: show } : {}),
        }),
      );
      if (hasEnded()) return EXIT.aborted;
      const counts = countsOf(findings);
      if (json) printJson<'doctor'>({ ok: counts.error === 0, counts, findings });
      else print(isSeen ? closingText(findings) : report(findings, nameOf));
      return counts.error > 0 ? EXIT.failure : EXIT.ok;
    } finally {
      await client.close();
    }
  },
};
