/** The prices are invented; they are declared so that the cost of a run adds up. USD per million tokens. */
export const DEMO_MODELS = [
  { id: 'demo-1', displayName: 'Demo 1', contextWindow: 100_000, pricing: { input: 1, output: 5 } },
  { id: 'demo-mini', displayName: 'Demo mini', contextWindow: 20_000, pricing: { input: 0.1, output: 0.5 } },
] as const;

export const DEFAULT_DEMO_MODEL = DEMO_MODELS[0].id;

/** A token has about four characters. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4);

export function demoCost(model: string, inputTokens: number, outputTokens: number): number {
  const { pricing } = DEMO_MODELS.find(({ id }) => id === model) ?? DEMO_MODELS[0];
  return (inputTokens * pricing.input + outputTokens * pricing.output) / 1_000_000;
}
