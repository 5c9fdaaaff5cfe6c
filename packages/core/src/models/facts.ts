import type { ModelCapabilities } from '../contract/capabilities.ts';

/** By its id, else by an alias, else without regard to case. */
export function knownAs(models: readonly ModelCapabilities[], name: string): ModelCapabilities | undefined {
  const lower = name.toLowerCase();
  return (
    models.find(({ id }) => id === name) ??
    models.find(({ aliases }) => aliases?.includes(name)) ??
    models.find(({ id, aliases = [] }) => [id, ...aliases].some((known) => known.toLowerCase() === lower))
  );
}

/** What the agent offers, and of each what it leaves open as agent-mux knows it. */
export function withBundledFacts(
  told: readonly ModelCapabilities[],
  bundled: readonly ModelCapabilities[],
): ModelCapabilities[] {
  return told.map((model) => {
    const known = bundled.find(({ id }) => id === model.id);
    if (!known) return model;
    const aliases = [...new Set([...(model.aliases ?? []), ...(known.aliases ?? [])])];
    const displayName = model.displayName ?? known.displayName;
    const pricing = model.pricing ?? known.pricing;
    return {
      ...model,
      ...(displayName === undefined ? {} : { displayName }),
      ...(aliases.length === 0 ? {} : { aliases }),
      contextWindow: model.contextWindow ?? known.contextWindow,
      maxOutputTokens: model.maxOutputTokens ?? known.maxOutputTokens,
      // An agent's list often does not speak of it, which is told as false.
      supportsThinking: model.supportsThinking || known.supportsThinking,
      supportsImageInput: model.supportsImageInput || known.supportsImageInput,
      ...(pricing === undefined ? {} : { pricing }),
    };
  });
}
