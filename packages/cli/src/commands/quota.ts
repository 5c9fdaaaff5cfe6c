import type { AccountQuota } from '@agent-mux/api';
import type { QuotaStatus } from '@agent-mux/core';
import { type Command, hasFlag, JSON_FLAG, TRUST_FLAG } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { clockTime, untilTime } from '../screen/time.ts';

export const quota: Command = {
  usage: 'amux quota [AGENT...] [--json]',
  description:
    'Shows how much of its rate limits each agent has used and when they reset, as last reported by\n' +
    'the agent. Starts no agent and reads no login; queries the vendor only if\n' +
    'daemon.queryClaudeUsage is set.',
  flags: { json: JSON_FLAG, 'trust-project': TRUST_FLAG },
  examples: [
    { command: 'amux quota', about: 'Show all agents that have reported limits' },
    { command: 'amux quota claude', about: 'Show one agent' },
    {
      command: `amux quota --json | jq '.agents[] | select(.limited) | .earliestResetAt'`,
      about: 'Print when limits reset',
    },
  ],
  maxArgs: Number.POSITIVE_INFINITY,
  run: (options) =>
    withClient(options, async (client) => {
      const named = options.positionals.map((agent) => client.adapterNamed(agent).agent);
      const agents = named.length > 0 ? named : client.adapters.list().map(({ agent }) => agent);
      const all = await Promise.all(agents.map(async (agent) => ({ agent, quota: await client.quota(agent) })));
      const known = all.flatMap((each) => each.quota ?? []);
      const accounts = (await knownAccounts()).filter(({ agent }) => named.length === 0 || named.includes(agent));
      if (hasFlag(options, 'json')) return printJson<'quota'>({ agents: known, accounts });
      if (known.length > 0) print(quotaTable(known));
      if (accounts.length > 0) print(`\n${quotaTable(accounts.map((each) => ({ ...each, agent: each.account })))}`);
      const silent = named.filter((agent) => ![...known, ...accounts].some((each) => each.agent === agent));
      for (const agent of silent) print(`no limits known for ${agent}: no run has reported any`);
      if (known.length + accounts.length === 0 && named.length === 0) print('no limits known: no run has reported any');
      return EXIT.ok;
    }),
};

/** Quotas per account from a running daemon; does not start one. */
async function knownAccounts(): Promise<readonly AccountQuota[]> {
  const { findDaemon } = await import('@agent-mux/daemon/start');
  const found = await findDaemon();
  if (!found) return [];
  const { withRunningDaemon } = await import('../daemon/open.ts');
  return withRunningDaemon(found, (daemon) => daemon.quota()).catch(() => []);
}

function quotaTable(known: readonly QuotaStatus[]): string {
  const { red, green } = paint(process.stdout);
  const rows = known.flatMap(({ agent, windows, limited, asOf }) => {
    const reportedAt = clockTime(asOf);
    if (windows.length === 0) return [[agent, '-', '-', limited ? 'exhausted' : 'available', '-', reportedAt]];
    return windows.map(({ window, usedPercent, exhausted, resetsAt }) => [
      agent,
      window,
      usedPercent === null ? '-' : `${usedPercent}%`,
      exhausted ? 'exhausted' : 'available',
      resetsAt === null ? '-' : untilTime(resetsAt),
      reportedAt,
    ]);
  });
  const head = ['AGENT', 'WINDOW', 'USED', 'STATE', 'RESETS', 'AS OF'];
  return addHead([head, ...rows], (cell, _, column) =>
    column === 3 ? (cell.trim() === 'available' ? green : red)(cell) : cell,
  );
}
