import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { CapabilityRow } from '../capability-rows.ts';
import { type Command, isOn, JSON_FLAG, TRUST_FLAG, textFlag } from '../command.ts';
import { openClient } from '../open-client.ts';
import { print, printJson } from '../output.ts';
import { UsageError } from '../usage-error.ts';

export const capabilities: Command = {
  usage: 'amux capabilities [agent...] [--mode MODE] [--json]',
  about:
    'What an agent can do, as its adapter declares and the proof exercises it: of all agents, of some beside each other,\n' +
    'or of the modes of one.',
  flags: {
    mode: { type: 'string', value: 'MODE', help: 'Only this mode.' },
    json: JSON_FLAG,
    'trust-project': TRUST_FLAG,
  },
  examples: [
    { command: 'amux capabilities', about: 'every agent in its default mode, side by side' },
    { command: 'amux capabilities claude codex gemini', about: 'three beside each other' },
    { command: 'amux capabilities claude', about: 'the modes of one agent' },
    {
      command: `amux capabilities claude --mode live --json | jq '.modes[0].capabilities.canFork'`,
      about: 'for a script',
    },
  ],
  maxWords: Number.POSITIVE_INFINITY,
  async run(given) {
    const client = await openClient(given, { asksAll: given.words.length === 0 });
    const rows = await chosenRows(client, given.words, textFlag(given, 'mode'));
    await client.close();
    if (isOn(given, 'json')) return printJson<'capabilities'>({ modes: rows });
    const { capabilityTable } = await import('../capability-table.ts');
    return print(capabilityTable(rows));
  },
};

/** Of all agents their default modes; of those that are named, all modes of one and the default ones of several. */
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
  const whose = agents.length === 0 ? 'no agent' : agents.length === 1 ? only : `none of ${agents.join(', ')}`;
  throw new UsageError(`${whose} has ${agents.length === 1 ? 'no' : 'a'} mode "${mode}"`, `there are: ${modes}`);
}
