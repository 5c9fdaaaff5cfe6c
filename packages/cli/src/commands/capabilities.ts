import type { ConfiguredClient } from '@agent-mux/adapters';
import type { CapabilityRow } from '../capability-rows.ts';
import { type Command, isOn, JSON_FLAG, TRUST_FLAG, textFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { openClient } from '../open-client.ts';
import { paint } from '../screen/paint.ts';
import { table } from '../screen/table.ts';
import { UsageError } from '../usage-error.ts';

export const capabilities: Command = {
  usage: 'amux capabilities [agent] [--mode MODE] [--json]',
  about:
    'What an agent can do, as its adapter declares and the proof exercises it: of all agents, or of the modes of one.',
  flags: {
    mode: { type: 'string', value: 'MODE', help: 'Only this mode.' },
    json: JSON_FLAG,
    'trust-project': TRUST_FLAG,
  },
  examples: [
    { command: 'amux capabilities', about: 'every agent in its default mode, side by side' },
    { command: 'amux capabilities claude', about: 'the modes of one agent' },
    { command: `amux capabilities claude --mode live --json | jq '.[0].capabilities.canFork'`, about: 'for a script' },
  ],
  maxWords: 1,
  async run(given) {
    const client = await openClient(given);
    const { CAPABILITY_NAMES, capabilityText } = await import('../capability-rows.ts');
    const rows = await chosenRows(client, given.words[0], textFlag(given, 'mode'));
    await client.close();
    if (isOn(given, 'json')) {
      process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
      return EXIT.ok;
    }
    const { bold, dim, green } = paint(process.stdout);
    const head = ['', ...rows.map(({ agent, mode }) => `${agent}/${mode}`)];
    const body = CAPABILITY_NAMES.map((name) => [name, ...rows.map((row) => capabilityText(row.capabilities[name]))]);
    const text = table([head, ...body], (cell, row, column) => {
      if (row === 0) return bold(cell);
      if (column === 0) return cell;
      return cell === '-' ? dim(cell) : cell === 'yes' ? green(cell) : cell;
    });
    process.stdout.write(`${text}\n`);
    return EXIT.ok;
  },
};

async function chosenRows(
  client: ConfiguredClient,
  agent: string | undefined,
  mode: string | undefined,
): Promise<CapabilityRow[]> {
  const { capabilityRows } = await import('../capability-rows.ts');
  const names = agent === undefined ? client.adapters.list().map((info) => info.agent) : [agent];
  const adapters = names.map((name) => client.adapterNamed(name));
  const all = capabilityRows(adapters);
  const wanted = mode ?? (agent === undefined ? undefined : null);
  const rows = all.filter((row) => wanted === null || (wanted === undefined ? row.isDefault : row.mode === wanted));
  if (rows.length > 0) return rows;
  const modes = [...new Set(all.map((row) => row.mode))].join(', ');
  throw new UsageError(`${agent ?? 'no agent'} has ${agent ? 'no' : 'a'} mode "${mode}"`, `there are: ${modes}`);
}
