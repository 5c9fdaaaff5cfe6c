import { type ModelCapabilities, PRICES_AS_OF, type TokenUsage } from '@agent-mux/core';
import { type Command, hasFlag, JSON_FLAG, type ParsedArgs, stringFlag, TRUST_FLAG } from '../command.ts';
import { withDefaultSubcommand } from '../default-subcommand.ts';
import { EXIT } from '../exit-codes.ts';
import { listNote, modelTable, overview } from '../models/model-table.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printInfo, printJson, printNote } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { withProgress } from '../screen/progress.ts';
import { defineSubcommands } from '../subcommands.ts';
import { UsageError } from '../usage-error.ts';

export const models: Command = withDefaultSubcommand(
  defineSubcommands({
    name: 'models',
    description: 'Lists the models each agent offers, with context window, thinking support and prices.',
    flags: {
      refresh: { type: 'boolean', help: 'Query the agent again (results are cached for an hour)' },
      bundled: { type: 'boolean', help: 'Use only data built into amux; start no agent' },
      input: { type: 'string', value: 'N', help: 'Input tokens, excluding cache reads', group: 'Cost' },
      output: { type: 'string', value: 'N', help: 'Output tokens', group: 'Cost' },
      'cache-read': { type: 'string', value: 'N', help: 'Input tokens read from the cache', group: 'Cost' },
      'cache-write': { type: 'string', value: 'N', help: 'Input tokens written to the cache', group: 'Cost' },
      json: JSON_FLAG,
      'trust-project': TRUST_FLAG,
    },
    actions: {
      list: {
        usage: '[AGENT] [--refresh] [--bundled]',
        about: 'List the models of an agent, or an overview of all agents',
        maxArgs: 1,
        flags: ['refresh', 'bundled'],
        run: list,
      },
      check: {
        usage: 'AGENT MODEL [--refresh] [--bundled]',
        about: 'Check a model name; exits 1 with suggestions if unknown',
        minArgs: 2,
        maxArgs: 2,
        flags: ['refresh', 'bundled'],
        run: check,
      },
      cost: {
        usage: 'AGENT MODEL --input N --output N [--cache-read N] [--cache-write N]',
        about: 'Estimate the cost by vendor list prices',
        minArgs: 2,
        maxArgs: 2,
        flags: ['input', 'output', 'cache-read', 'cache-write'],
        run: cost,
      },
    },
    fallback: 'list',
    examples: [
      { command: 'amux models', about: 'Show an overview of all agents' },
      { command: 'amux models codex --refresh', about: 'List what Codex offers for your login now' },
      { command: 'amux models check claude sonet', about: 'Catch a typo before a run' },
      {
        command: 'amux models cost claude sonnet --input 120000 --output 4000',
        about: 'Estimate a cost in US dollars',
      },
    ],
  }),
  'list',
  'amux models [list] [AGENT] | check AGENT MODEL | cost AGENT MODEL --input N --output N',
);

function queryOptions(args: ParsedArgs) {
  return { refresh: hasFlag(args, 'refresh'), bundledOnly: hasFlag(args, 'bundled') };
}

function list(args: ParsedArgs): Promise<number> {
  return withClient(args, async (client) => {
    const [agent] = args.positionals;
    const json = hasFlag(args, 'json');
    if (agent === undefined) {
      const lists = await overview(client, hasFlag(args, 'refresh'));
      if (json) return printJson<'models list'>({ agents: lists });
      const rows = lists.map((each) => [
        each.agent,
        String(each.models.length || '-'),
        each.defaultModel ?? '-',
        each.source === 'agent' ? 'agent' : 'amux',
      ]);
      // On a terminal, agents without known models are listed below the table.
      const isShown = ([, count, model]: readonly string[]) => !process.stdout.isTTY || count !== '-' || model !== '-';
      const unknown = rows.filter((row) => !isShown(row)).map(([name]) => name);
      const head = ['AGENT', 'MODELS', 'DEFAULT', 'SOURCE'];
      print(addHead([head, ...rows.filter(isShown)], undefined, { keep: [0, 2], spare: [3, 1] }));
      printInfo('');
      return printNote(
        ...(unknown.length > 0 ? [`Models unknown until queried: ${unknown.join(', ')}.`] : []),
        'Run "amux models AGENT" to list them; this queries the agent if it supports that.',
      );
    }
    const { displayName } = client.adapterNamed(agent);
    const [found, defaultModel] = await Promise.all([
      withProgress(`querying ${displayName} for its models`, () => client.models.list(agent, queryOptions(args))),
      client.models.defaultModel(agent),
    ]);
    if (json) return printJson<'models list'>({ ...found, defaultModel });
    if (found.models.length > 0) print(modelTable(found.models, defaultModel));
    else print(`the models of ${displayName} are unknown; see its documentation`);
    print('');
    return print(paint(process.stdout).dim(listNote(found, defaultModel)));
  });
}

function check(args: ParsedArgs): Promise<number> {
  return withClient(args, async (client) => {
    const [agent = '', model = ''] = args.positionals;
    const { displayName } = client.adapterNamed(agent);
    const verdict = await withProgress(`querying ${displayName} for its models`, () =>
      client.models.validate(agent, model, queryOptions(args)),
    );
    const code = verdict.ok ? EXIT.ok : EXIT.failure;
    const { green, yellow, dim } = paint(process.stdout);
    if (hasFlag(args, 'json')) printJson<'models check'>(verdict);
    else if (verdict.source === null) print(`? the models of ${displayName} are unknown`);
    else if (verdict.ok) print(`${green('✓')} ${verdict.id}${verdict.id === model ? '' : dim(` (${model})`)}`);
    else {
      const near = verdict.suggestions.length > 0 ? `; did you mean ${verdict.suggestions.join(' or ')}?` : '';
      const sure = verdict.source === 'bundled' ? dim(' (data built into amux; the agent may have newer models)') : '';
      print(`${yellow('✗')} ${displayName} has no model "${model}"${near}${sure}`);
    }
    return code;
  });
}

function cost(args: ParsedArgs): Promise<number> {
  const usage = {
    inputTokens: tokens(args, 'input') ?? null,
    outputTokens: tokens(args, 'output') ?? null,
    cacheReadTokens: tokens(args, 'cache-read') ?? null,
    cacheCreationTokens: tokens(args, 'cache-write') ?? null,
  };
  if (usage.inputTokens === null || usage.outputTokens === null) {
    throw new UsageError('missing --input or --output', 'usage: amux models cost AGENT MODEL --input N --output N');
  }
  return withClient(args, async (client) => {
    const [agent = '', model = ''] = args.positionals;
    client.adapterNamed(agent);
    const costUsd = await client.models.estimateCost(agent, model, usage);
    const found = await client.models.find(agent, model);
    if (hasFlag(args, 'json')) {
      const costSource = costUsd === null ? null : 'estimated';
      const [id, pricing] = [found?.id ?? null, found?.pricing ?? null];
      printJson<'models cost'>({ agent, model, id, usage, costUsd, costSource, pricing });
      return found ? EXIT.ok : EXIT.failure;
    }
    if (!found) return check({ ...args, flags: {} });
    if (costUsd === null) return print(`unknown: ${explainUnknown(found, usage)}`);
    const { asOf } = found.pricing ?? {};
    const by = asOf === undefined ? 'by the price the agent reports' : `by the list price of ${asOf}`;
    return print(
      `$${costUsd.toFixed(costUsd < 0.01 ? 6 : 4)} ${paint(process.stdout).dim(`(estimated, ${found.id}, ${by})`)}`,
    );
  });
}

function explainUnknown(
  { id, pricing }: ModelCapabilities,
  { cacheReadTokens, cacheCreationTokens }: Partial<TokenUsage>,
) {
  if (!pricing) return `no price known for ${id} (prices as of ${PRICES_AS_OF})`;
  const [read, written] = [cacheReadTokens && !pricing.cacheRead, cacheCreationTokens && !pricing.cacheCreation];
  const kinds = [...(read ? ['read from'] : []), ...(written ? ['written to'] : [])].join(' and ');
  return `no price known for ${id} for tokens ${kinds} a cache`;
}

function tokens(args: ParsedArgs, flag: string): number | undefined {
  const text = stringFlag(args, flag);
  if (text === undefined) return undefined;
  const count = /^\d[\d_]*$/.test(text) ? Number(text.replaceAll('_', '')) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  throw new UsageError(`--${flag}: not a number of tokens: "${text}"`);
}
