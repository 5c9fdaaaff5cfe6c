import type { ConfiguredClient } from '@agent-mux/adapters';
import type { CapabilityRow } from '../capability-rows.ts';
import { type Command, isOn, JSON_FLAG, TRUST_FLAG, textFlag } from '../command.ts';
import { openClient } from '../open-client.ts';
import { headed, print, printJson } from '../output.ts';
import { paint } from '../screen/paint.ts';
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
      return printJson(rows);
    }
    const { dim, green } = paint(process.stdout);
    const blocks = inBlocks(
      CAPABILITY_NAMES,
      rows.map((row) => [
        `${row.agent}/${row.mode}`,
        ...CAPABILITY_NAMES.map((name) => capabilityText(row.capabilities[name])),
      ]),
    );
    const style = (cell: string, column: number) =>
      column === 0 ? cell : cell === '-' ? dim(cell) : cell === 'yes' ? green(cell) : cell;
    const text = blocks.map((block) => headed(block, (cell, _, column) => style(cell, column))).join('\n\n');
    return print(text);
  },
};

/** As many columns beside each other as the terminal has room for; the others below. */
function inBlocks(names: readonly string[], columns: readonly (readonly string[])[]): string[][][] {
  const width = process.stdout.isTTY ? process.stdout.columns : Number.POSITIVE_INFINITY;
  const widthOfColumn = (column: readonly string[]) => Math.max(...column.map((cell) => cell.length)) + 2;
  const first = ['', ...names];
  const blocks: (readonly string[])[][] = [];
  let left = 0;
  for (const column of columns) {
    left -= widthOfColumn(column);
    if (blocks.length === 0 || left < 0) {
      blocks.push([]);
      left = width - widthOfColumn(first) + 2 - widthOfColumn(column);
    }
    blocks.at(-1)?.push(column);
  }
  return blocks.map((block) => first.map((name, row) => [name, ...block.map((column) => column[row] ?? '')]));
}

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
