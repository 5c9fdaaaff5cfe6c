import type { ModelCapabilities } from '../contract/capabilities.ts';

export type Pricing = NonNullable<ModelCapabilities['pricing']>;

/**
 * US dollars per million tokens: input, output, cache read, cache write. A missing price is not published by the
 * source.
 */
type Price = readonly [input: number, output: number, cacheRead?: number, cacheCreation?: number];

interface PriceList {
  vendor: string;
  /** Source of the prices. */
  source: string;
  models: Readonly<Record<string, Price>>;
}

/** Date on which all prices were looked up. */
export const PRICES_AS_OF = '2026-11-16';

const PI = 'provider list prices, from the catalog of pi 0.87.1';
const CLAUDE_CODE = 'provider list prices, as shown by Claude Code 2.1.325';
const VIBE = 'provider list prices, from the configuration of Mistral Vibe';
const GATEWAYS = 'provider list prices, agreed on by the gateways in the catalog of pi 0.87.1';

/**
 * Model prices for all agents: the only price table. Contains only sourced prices: a missing model was not looked up.
 * Prices for prompts of usual length, without batch or time-of-day discounts.
 */
export const PRICE_LISTS: readonly PriceList[] = [
  {
    vendor: 'Anthropic',
    source: CLAUDE_CODE,
    models: {
      'claude-fable-5-2': [8, 40],
      'claude-sonnet-5-5': [2, 10],
      'claude-haiku-5-5': [0.1, 0.5],
    },
  },
  {
    vendor: 'Anthropic',
    source: PI,
    models: {
      'claude-fable-5': [10, 50, 1, 12.5],
      'claude-fable-5-1': [10, 50, 0.25, 12.5],
      'claude-haiku-4-5': [1, 5, 0.1, 1.25],
      'claude-opus-4-5': [5, 25, 0.5, 6.25],
      'claude-opus-4-6': [5, 25, 0.5, 6.25],
      'claude-opus-4-7': [5, 25, 0.5, 6.25],
      'claude-opus-4-8': [5, 25, 0.5, 6.25],
      'claude-opus-5': [5, 25, 0.5, 6.25],
      'claude-opus-5-5': [4, 20, 0.2, 5],
      'claude-sonnet-4-5': [3, 15, 0.3, 3.75],
      'claude-sonnet-4-6': [3, 15, 0.3, 3.75],
      'claude-sonnet-5': [2, 10, 0.2, 2.5],
    },
  },
  {
    vendor: 'OpenAI',
    source: PI,
    models: {
      'gpt-4.1': [2, 8, 0.5],
      'gpt-4.1-mini': [0.4, 1.6, 0.1],
      'gpt-4.1-nano': [0.1, 0.4, 0.025],
      'gpt-5': [1.25, 10, 0.125],
      'gpt-5-mini': [0.25, 2, 0.025],
      'gpt-5-nano': [0.05, 0.4, 0.005],
      'gpt-5-pro': [15, 120],
      'gpt-5.1': [1.25, 10, 0.125],
      'gpt-5.2': [1.75, 14, 0.175],
      'gpt-5.2-pro': [21, 168],
      'gpt-5.3-codex': [1.75, 14, 0.175],
      'gpt-5.3-codex-spark': [1.75, 14, 0.175],
      'gpt-5.4': [2.5, 15, 0.25],
      'gpt-5.4-mini': [0.75, 4.5, 0.075],
      'gpt-5.4-nano': [0.2, 1.25, 0.02],
      'gpt-5.4-pro': [30, 180],
      'gpt-5.5': [5, 30, 0.5],
      'gpt-5.5-pro': [30, 180],
      'gpt-5.6-luna': [0.2, 1.2, 0.02, 0.25],
      'gpt-5.6-sol': [4, 20, 0.4, 5],
      'gpt-5.6-terra': [2, 12, 0.2, 2.5],
      'gpt-6-astra': [10, 50, 1, 12.5],
      'gpt-6-luna': [0.1, 0.5, 0.01, 0.125],
      'gpt-6-sol': [2, 10, 0.2, 2.5],
      o3: [2, 8, 0.5],
      'o3-mini': [1.1, 4.4, 0.55],
      'o3-pro': [20, 80],
      'o4-mini': [1.1, 4.4, 0.275],
    },
  },
  {
    vendor: 'Google',
    source: PI,
    models: {
      'gemini-2.5-flash': [0.3, 2.5, 0.03],
      'gemini-2.5-flash-lite': [0.1, 0.4, 0.01],
      'gemini-2.5-pro': [1.25, 10, 0.125],
      'gemini-3-flash-preview': [0.5, 3, 0.05],
      'gemini-3.1-flash-lite': [0.25, 1.5, 0.025],
      'gemini-3.1-flash-lite-preview': [0.25, 1.5, 0.025],
      'gemini-3.1-pro-preview': [2, 12, 0.2],
      'gemini-3.1-pro-preview-customtools': [2, 12, 0.2],
      'gemini-3.5-flash': [1.5, 9, 0.15],
      'gemini-3.5-flash-lite': [0.3, 2.5, 0.03],
      'gemini-3.6-flash': [0.75, 3.75, 0.075],
      'gemini-3.7-flash': [0.75, 3.75, 0.075],
      'gemini-3.8-flash': [0.75, 3.75, 0.075],
    },
  },
  {
    vendor: 'xAI',
    source: PI,
    models: {
      'grok-4.3': [1.25, 2.5, 0.2],
      'grok-4.5': [2, 6, 0.3],
      'grok-4.6': [2, 6, 0.5],
      'grok-4.7': [2, 6, 0.5],
    },
  },
  {
    vendor: 'Moonshot AI',
    source: PI,
    models: {
      'kimi-k2.6': [0.95, 4, 0.16],
      'kimi-k2.7-code': [0.95, 4, 0.19],
      'kimi-k2.7-code-highspeed': [1.9, 8, 0.38],
      'kimi-k3': [3, 15, 0.3],
    },
  },
  {
    vendor: 'Z.ai',
    source: PI,
    models: {
      'glm-4.7': [0.6, 2.2, 0.11],
      'glm-5-turbo': [1.2, 4, 0.24],
      'glm-5.2': [1.4, 4.4, 0.26],
      'glm-5.3': [1.4, 4.4, 0.26],
      'glm-5.3-flash': [0.15, 0.5, 0.03],
    },
  },
  {
    vendor: 'Mistral AI',
    source: PI,
    models: {
      'devstral-2512': [0.4, 2, 0.04],
      'devstral-medium-2507': [0.4, 2, 0.04],
      'devstral-small-2505': [0.1, 0.3, 0.01],
      'devstral-small-2507': [0.1, 0.3, 0.01],
      'mistral-large-2512': [0.5, 1.5, 0.05],
      'mistral-medium-2508': [0.4, 2, 0.04],
      'mistral-medium-2604': [1.5, 7.5, 0.15],
      'mistral-medium-3.5': [1.5, 7.5],
      'mistral-small-2506': [0.1, 0.3, 0.01],
      'mistral-small-2603': [0.15, 0.6, 0.015],
    },
  },
  {
    vendor: 'Mistral AI',
    source: VIBE,
    models: { 'devstral-small': [0.1, 0.3] },
  },
  {
    vendor: 'Alibaba',
    source: GATEWAYS,
    models: {
      'qwen3.7-flash': [0.03, 0.13, 0.006, 0.038],
      'qwen3.8-flash': [0.15, 0.47, 0.016, 0.2],
      'qwen3.8-max-0902': [2, 6, 0.25, 2.5],
    },
  },
];

const BY_NAME = new Map(
  PRICE_LISTS.flatMap(({ source, models }) =>
    Object.entries(models).map(([id, [input, output, cacheRead, cacheCreation]]): [string, Pricing] => [
      plainName(id),
      {
        input,
        output,
        ...(cacheRead === undefined ? {} : { cacheRead }),
        ...(cacheCreation === undefined ? {} : { cacheCreation }),
        asOf: PRICES_AS_OF,
        source,
      },
    ]),
  ),
);

/** The price of a model by the names agents use: with a provider prefix or a date suffix. */
export function findListPrice(model: string): Pricing | undefined {
  const bare = model.slice(model.lastIndexOf('/') + 1);
  const names = [bare, bare.replace(/-\d{8}$/, '')].map(plainName);
  return names.map((name) => BY_NAME.get(name)).find((price) => price !== undefined);
}

/** Some write `claude-opus-4.8`, others `claude-opus-4-8`. */
function plainName(name: string): string {
  return name.toLowerCase().replaceAll('.', '-');
}
