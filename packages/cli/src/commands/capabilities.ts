import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { CapabilityRow } from '../capability-rows.ts';
import { type Command, hasFlag, JSON_FLAG, stringFlag, TRUST_FLAG } from '../command.ts';
import { openClient } from '../open-client.ts';
import { print, printJson } from '../output.ts';
import { UsageError } from '../usage-error.ts';

export const capabilities: Command = {
  usage: 'amux capabilities [agent...] [--mode MODE] [--json]',
  description: 'Shows what agents support: one column per agent, or per mode of one agent.',
  flags: {
    mode: { type: 'string', value: 'MODE', help: 'Show only this mode' },
    json: JSON_FLAG,
    'trust-project': TRUST_FLAG,
  },
  examples: [
    { command: 'amux capabilities', about: 'Compare all agents in their default modes' },
    { command: 'amux capabilities claude codex gemini', about: 'Compare three agents' },
    { command: 'amux capabilities claude', about: 'Compare the modes of one agent' },
    {
      command: `amux capabilities claude --mode live --json | jq '.modes[0].capabilities.canFork'`,
      about: 'Check a single capability in a script',
    },
  ],
  maxArgs: Number.POSITIVE_INFINITY,
  async run(options) {
    const client = await openClient(options, { asksAll: options.positionals.length === 0 });
    const rows = await chosenRows(client, options.positionals, stringFlag(options, 'mode'));
    await client.close();
    if (hasFlag(options, 'json')) return printJson<'capabilities'>({ modes: rows });
    const { capabilityTable } = await import('../capability-table.ts');
    return print(capabilityTable(rows));
  },
};

/** Without names: the default mode of every agent. One name: all its modes. Several names: their default modes. */
async function chosenRows(
  client: ConfiguredClient,
  agents: readonly string[],
  mode: string | undefined,
): Promise<CapabilityRow[]> {
  const { capabilityRows } = await import('../capability-rows.ts');
  const names = agents.length === 0 ? client.adapters.list().map((info) => info.agent) : [...new Set(agents)];
  const all = capabilityRows(names.map((name) => client.adapterNamed(name)));
  const rows = all.filter((row) => (mode === undefined ? row.isDefault || agents.length === 1 : row.mode === mode));
  if (rows.length > 0) return rows;
  const modes = [...new Set(all.map((row) => row.mode))].join(', ');
  const [only] = agents;
  const scope =
    agents.length === 0 ? 'no agent has' : agents.length === 1 ? `${only} has no` : `none of ${agents.join(', ')} has`;
  throw new UsageError(`${scope} mode "${mode}"`, `use one of: ${modes}`);
}
