import type { AccountQuota } from '@agent-mux/api';
import type { QuotaStatus } from '@agent-mux/core';
import { type Command, isOn, JSON_FLAG, TRUST_FLAG } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { clockTime, untilTime } from '../screen/time.ts';

export const quota: Command = {
  usage: 'amux quota [AGENT...] [--json]',
  about:
    'Says how much of its limits each agent has used, which are used up, and when they are lifted: the last that the agent\n' +
    'told in a run on this machine, and what the daemon knows of each agent and login, where it runs. No agent is started,\n' +
    'nobody is asked, and no login is read, unless daemon.claudeUsage says so.',
  flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
  examples: [
    { command: 'amux quota', about: 'every agent that has told something' },
    { command: 'amux quota claude', about: 'one of them' },
    { command: `amux quota --json | jq '.agents[] | select(.limited) | .earliestResetAt'`, about: 'for a script' },
  ],
  maxWords: Number.POSITIVE_INFINITY,
  run: (given) =>
    withClient(given, async (client) => {
      const named = given.words.map((agent) => client.adapterNamed(agent).agent);
      const agents = named.length > 0 ? named : client.adapters.list().map(({ agent }) => agent);
      const all = await Promise.all(agents.map(async (agent) => ({ agent, quota: await client.quota(agent) })));
      const known = all.flatMap((each) => each.quota ?? []);
      const accounts = (await knownAccounts()).filter(({ agent }) => named.length === 0 || named.includes(agent));
      if (isOn(given, 'json')) return printJson<'quota'>({ agents: known, accounts });
      if (known.length > 0) print(quotaTable(known));
      if (accounts.length > 0) print(`\n${quotaTable(accounts.map((each) => ({ ...each, agent: each.account })))}`);
      const silent = named.filter((agent) => ![...known, ...accounts].some((each) => each.agent === agent));
      for (const agent of silent)
        print(`nothing is known of the limits of ${agent}: it has told none in a run here yet`);
      if (known.length + accounts.length === 0 && named.length === 0)
        print('nothing is known: no agent has told of a limit in a run here yet');
      return EXIT.ok;
    }),
};

/** What the daemon knows of agents and logins, where one runs: none is started for it. */
async function knownAccounts(): Promise<readonly AccountQuota[]> {
  const { findDaemon } = await import('@agent-mux/daemon/start');
  const found = await findDaemon();
  if (!found) return [];
  const { withFound } = await import('../daemon/open.ts');
  return withFound(found, (daemon) => daemon.quota()).catch(() => []);
}

function quotaTable(known: readonly QuotaStatus[]): string {
  const { red, green } = paint(process.stdout);
  const rows = known.flatMap(({ agent, windows, limited, asOf }) => {
    const told = clockTime(asOf);
    if (windows.length === 0) return [[agent, '-', '-', limited ? 'used up' : 'open', '-', told]];
    return windows.map(({ window, usedPercent, exhausted, resetsAt }) => [
      agent,
      window,
      usedPercent === null ? '-' : `${usedPercent}%`,
      exhausted ? 'used up' : 'open',
      resetsAt === null ? '-' : untilTime(resetsAt),
      told,
    ]);
  });
  const head = ['AGENT', 'WINDOW', 'USED', 'STATE', 'LIFTED', 'AS OF'];
  return addHead([head, ...rows], (cell, _, column) =>
    column === 3 ? (cell.trim() === 'open' ? green : red)(cell) : cell,
  );
}
