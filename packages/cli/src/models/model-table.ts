import type { ConfiguredClient } from '@agent-mux/adapters/client';
import type { ModelCapabilities, ModelList } from '@agent-mux/core';
import { addHead } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { withProgress } from '../screen/progress.ts';

export interface ModelOverview extends ModelList {
  defaultModel: string | null;
}

/** Lists the models of every agent, one after the other: a queried agent is a program that starts slowly. */
export function overview(client: ConfiguredClient, ask: boolean): Promise<ModelOverview[]> {
  return withProgress('querying agents for their models', async (say) => {
    const lists: ModelOverview[] = [];
    for (const { agent, displayName } of client.adapters.list()) {
      say(`querying ${displayName} for its models`);
      const list = await client.models.list(agent, ask ? { refresh: true } : { bundledOnly: true });
      lists.push({ ...list, defaultModel: await client.models.defaultModel(agent) });
    }
    return lists;
  });
}

export function modelTable(models: readonly ModelCapabilities[], defaultModel: string | null): string {
  const { green } = paint(process.stdout);
  const isDefault = ({ id, aliases = [] }: ModelCapabilities) =>
    defaultModel !== null && [id, ...aliases].includes(defaultModel);
  const rows = models.map((model) => [
    model.id,
    (model.aliases ?? []).join(' '),
    model.contextWindow === null ? '' : shortCount(model.contextWindow),
    model.supportsThinking ? 'yes' : '',
    model.supportsImageInput ? 'yes' : '',
    priceOf(model),
    isDefault(model) ? 'default' : '',
  ]);
  const head = ['MODEL', 'ALIASES', 'CONTEXT', 'THINKING', 'IMAGES', '$/M IN/OUT', ''];
  return addHead([head, ...rows], (cell, _, column) => (column === 6 ? green(cell) : cell), { spare: [4, 3, 1, 2] });
}

/** Describes the source of a list. */
export function listNote({ source, askedAt, problem, models }: ModelList, defaultModel: string | null): string {
  const when = askedAt === undefined ? '' : `, ${new Date(askedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const from = source === 'agent' ? `Reported by the agent${when}.` : 'Built into this version of amux.';
  const why = problem ? ` The agent could not be queried: ${problem}.` : '';
  return `${from}${why}${defaultModel === null ? '' : ` Default model: ${defaultModel}.`}${priceNote(models)}`;
}

/** Source and date of the prices. */
function priceNote(models: readonly ModelCapabilities[]): string {
  const priced = models.flatMap(({ pricing }) => pricing ?? []);
  if (priced.length === 0) return models.length === 0 ? '' : ' No prices known.';
  const ours = priced.filter(({ asOf }) => asOf !== undefined);
  if (ours.length === 0) return ' Prices reported by the agent.';
  const whose = ours.length < priced.length ? 'as reported by the agent, else ' : '';
  return ` Prices: ${whose}vendor list prices as of ${ours[0]?.asOf}.`;
}

function priceOf({ pricing }: ModelCapabilities): string {
  return pricing ? `${pricing.input}/${pricing.output}` : '';
}

function shortCount(count: number): string {
  if (count >= 1_000_000) return `${Number((count / 1_000_000).toFixed(1))}M`;
  return count >= 1000 ? `${Math.round(count / 1000)}k` : String(count);
}
