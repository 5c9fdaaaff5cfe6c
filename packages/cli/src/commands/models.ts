import { type ModelCapabilities, PRICES_AS_OF, type TokenUsage } from '@agent-mux/core';
import { commandOfActions } from '../actions.ts';
import { type Command, type Given, isOn, JSON_FLAG, TRUST_FLAG, textFlag } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { withImpliedAction } from '../implied-action.ts';
import { listNote, modelTable, overview } from '../models/model-table.ts';
import { withClient } from '../open-client.ts';
import { addHead, print, printJson, printNote, tell } from '../output.ts';
import { paint } from '../screen/paint.ts';
import { withProgress } from '../screen/progress.ts';
import { UsageError } from '../usage-error.ts';

export const models: Command = withImpliedAction(
  commandOfActions({
    name: 'models',
    about:
      'Says which models an agent offers: as the agent itself tells, where it can, and else as amux knows them, with\n' +
      'context window, thinking and prices.',
    flags: {
      refresh: { type: 'boolean', help: 'Ask the agents again; otherwise an answer is believed for an hour.' },
      bundled: { type: 'boolean', help: 'Start no agent: only what amux knows.' },
      input: { type: 'string', value: 'N', help: 'Input tokens, without those read from a cache.', group: 'Cost' },
      output: { type: 'string', value: 'N', help: 'Output tokens.', group: 'Cost' },
      'cache-read': { type: 'string', value: 'N', help: 'Input tokens read from a cache.', group: 'Cost' },
      'cache-write': { type: 'string', value: 'N', help: 'Input tokens written to a cache.', group: 'Cost' },
      json: JSON_FLAG,
      'trust-project': TRUST_FLAG,
    },
    actions: {
      list: {
        usage: '[AGENT] [--refresh] [--bundled]',
        about: 'the models of an agent; without one, how many each agent has',
        maxWords: 1,
        flags: ['refresh', 'bundled'],
        run: list,
      },
      check: {
        usage: 'AGENT MODEL [--refresh] [--bundled]',
        about: 'is there such a model; exits with 1 and says what is near when not',
        minWords: 2,
        maxWords: 2,
        flags: ['refresh', 'bundled'],
        run: check,
      },
      cost: {
        usage: 'AGENT MODEL --input N --output N [--cache-read N] [--cache-write N]',
        about: 'what so many tokens cost by the list prices of the vendors',
        minWords: 2,
        maxWords: 2,
        flags: ['input', 'output', 'cache-read', 'cache-write'],
        run: cost,
      },
    },
    otherwise: 'list',
    examples: [
      { command: 'amux models', about: 'an overview' },
      { command: 'amux models codex --refresh', about: 'what codex offers right now, with your login' },
      { command: 'amux models check claude sonet', about: 'a slip of the pen is found before a run is paid for' },
      { command: 'amux models cost claude sonnet --input 120000 --output 4000', about: 'an estimate in US dollars' },
    ],
  }),
  'list',
  'amux models [list] [AGENT] | check AGENT MODEL | cost AGENT MODEL --input N --output N',
);

function askingOptions(given: Given) {
  return { refresh: isOn(given, 'refresh'), bundledOnly: isOn(given, 'bundled') };
}

function list(given: Given): Promise<number> {
  return withClient(given, async (client) => {
    const [agent] = given.words;
    const json = isOn(given, 'json');
    if (agent === undefined) {
      const lists = await overview(client, isOn(given, 'refresh'));
      if (json) return printJson<'models list'>({ agents: lists });
      const rows = lists.map((each) => [
        each.agent,
        String(each.models.length || '-'),
        each.defaultModel ?? '-',
        each.source === 'agent' ? 'the agent' : 'amux',
      ]);
      // Where somebody looks, those of which nothing is known are names below.
      const isShown = ([, count, model]: readonly string[]) => !process.stdout.isTTY || count !== '-' || model !== '-';
      const unknown = rows.filter((row) => !isShown(row)).map(([name]) => name);
      const head = ['AGENT', 'MODELS', 'DEFAULT', 'KNOWN FROM'];
      print(addHead([head, ...rows.filter(isShown)], undefined, { keep: [0, 2], spare: [3, 1] }));
      tell('');
      return printNote(
        ...(unknown.length > 0 ? [`Nothing is known before it is asked: ${unknown.join(', ')}.`] : []),
        'amux models AGENT lists them, and asks the agent itself where it can tell.',
      );
    }
    const { displayName } = client.adapterNamed(agent);
    const [found, defaultModel] = await Promise.all([
      withProgress(`asking ${displayName} for its models`, () => client.models.list(agent, askingOptions(given))),
      client.models.defaultModel(agent),
    ]);
    if (json) return printJson<'models list'>({ ...found, defaultModel });
    if (found.models.length > 0) print(modelTable(found.models, defaultModel));
    else print(`nothing is known of the models of ${displayName}; it takes what its documents say`);
    print('');
    return print(paint(process.stdout).dim(listNote(found, defaultModel)));
  });
}

function check(given: Given): Promise<number> {
  return withClient(given, async (client) => {
    const [agent = '', model = ''] = given.words;
    const { displayName } = client.adapterNamed(agent);
    const verdict = await withProgress(`asking ${displayName} for its models`, () =>
      client.models.validate(agent, model, askingOptions(given)),
    );
    const code = verdict.ok ? EXIT.ok : EXIT.failure;
    const { green, yellow, dim } = paint(process.stdout);
    if (isOn(given, 'json')) printJson<'models check'>(verdict);
    else if (verdict.source === null) print(`? nothing is known of the models of ${displayName}`);
    else if (verdict.ok) print(`${green('✓')} ${verdict.id}${verdict.id === model ? '' : dim(` (${model})`)}`);
    else {
      const near = verdict.suggestions.length > 0 ? `; did you mean ${verdict.suggestions.join(' or ')}?` : '';
      const sure = verdict.source === 'bundled' ? dim(' (as amux knows them; the agent may have newer ones)') : '';
      print(`${yellow('✗')} ${displayName} has no model "${model}"${near}${sure}`);
    }
    return code;
  });
}

function cost(given: Given): Promise<number> {
  const usage = {
    inputTokens: tokens(given, 'input') ?? null,
    outputTokens: tokens(given, 'output') ?? null,
    cacheReadTokens: tokens(given, 'cache-read') ?? null,
    cacheCreationTokens: tokens(given, 'cache-write') ?? null,
  };
  if (usage.inputTokens === null || usage.outputTokens === null) {
    throw new UsageError('--input and --output are needed', 'amux models cost AGENT MODEL --input N --output N');
  }
  return withClient(given, async (client) => {
    const [agent = '', model = ''] = given.words;
    client.adapterNamed(agent);
    const costUsd = await client.models.estimateCost(agent, model, usage);
    const found = await client.models.find(agent, model);
    if (isOn(given, 'json')) {
      const costSource = costUsd === null ? null : 'estimated';
      const [id, pricing] = [found?.id ?? null, found?.pricing ?? null];
      printJson<'models cost'>({ agent, model, id, usage, costUsd, costSource, pricing });
      return found ? EXIT.ok : EXIT.failure;
    }
    if (!found) return check({ ...given, flags: {} });
    if (costUsd === null) return print(`unknown: ${explainUnknown(found, usage)}`);
    const { asOf } = found.pricing ?? {};
    const by = asOf === undefined ? 'by the price that the agent tells' : `by the list price of ${asOf}`;
    return print(
      `$${costUsd.toFixed(costUsd < 0.01 ? 6 : 4)} ${paint(process.stdout).dim(`(estimated, ${found.id}, ${by})`)}`,
    );
  });
}

function explainUnknown(
  { id, pricing }: ModelCapabilities,
  { cacheReadTokens, cacheCreationTokens }: Partial<TokenUsage>,
) {
  if (!pricing) return `amux knows no price of ${id} (its prices are of ${PRICES_AS_OF})`;
  const [read, written] = [cacheReadTokens && !pricing.cacheRead, cacheCreationTokens && !pricing.cacheCreation];
  const kinds = [...(read ? ['read from'] : []), ...(written ? ['written to'] : [])].join(' and ');
  return `amux knows no price of ${id} for tokens that are ${kinds} a cache`;
}

function tokens(given: Given, flag: string): number | undefined {
  const text = textFlag(given, flag);
  if (text === undefined) return undefined;
  const count = /^\d[\d_]*$/.test(text) ? Number(text.replaceAll('_', '')) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  throw new UsageError(`--${flag}: "${text}" is not a number of tokens`);
}
