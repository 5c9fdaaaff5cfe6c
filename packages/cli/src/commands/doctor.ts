import type { Finding } from '@agent-mux/core';
import { endOnInterrupt } from '../agents/end-on-interrupt.ts';
import { type Command, hasFlag, JSON_FLAG, TRUST_FLAG } from '../command.ts';
import { closingText, countsOf, groupText, report } from '../doctor/report.ts';
import { EXIT } from '../exit-codes.ts';
import { openClient } from '../open-client.ts';
import { print, printJson } from '../output.ts';
import { aboveProgress, withProgress } from '../screen/progress.ts';

export const doctor: Command = {
  usage: 'amux doctor [AGENT...] [--json]',
  description:
    'Checks agent-mux and the installed agents. Each finding comes with a suggested fix. Changes\n' + 'nothing.',
  flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
  examples: [
    { command: 'amux doctor', about: 'Check everything' },
    { command: 'amux doctor claude codex', about: 'Check two agents; a missing one is an error' },
    { command: `amux doctor --json | jq '.findings[] | select(.level == "error")'`, about: 'Print errors only' },
  ],
  notes: ['Exits 1 if a finding is an error.'],
  maxArgs: Number.POSITIVE_INFINITY,
  async run(options) {
    const client = await openClient(options, {
      listsProblems: true,
      listsIssues: true,
      asksAll: options.positionals.length === 0,
    });
    const hasEnded = endOnInterrupt(client);
    try {
      const agents = options.positionals.map((agent) => client.adapterNamed(agent).agent);
      const nameOf = (agent: string) => client.adapters.get(agent).displayName;
      const json = hasFlag(options, 'json');
      // On a terminal, findings appear as soon as they are known, while slow agents are still being checked.
      const isInteractive = !json && process.stdout.isTTY;
      const show = (found: readonly Finding[]) => {
        const text = hasEnded() ? '' : groupText(found, nameOf);
        if (text !== '') aboveProgress(() => print(`${text}\n`));
      };
      const findings = await withProgress('checking agent versions', () =>
        client.doctor({
          cwd: process.cwd(),
          ...(agents.length > 0 ? { agents } : {}),
          ...(isInteractive ? { onFound: show } : {}),
        }),
      );
      if (hasEnded()) return EXIT.aborted;
      const counts = countsOf(findings);
      if (json) printJson<'doctor'>({ ok: counts.error === 0, counts, findings });
      else print(isInteractive ? closingText(findings) : report(findings, nameOf));
      return counts.error > 0 ? EXIT.failure : EXIT.ok;
    } finally {
      await client.close();
    }
  },
};
