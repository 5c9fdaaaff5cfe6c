import type { AgentAdapter } from '../contract/adapter.ts';
import type { ModelCapabilities } from '../contract/capabilities.ts';
import type { TokenUsage } from '../contract/events.ts';
import type { ModelList, ModelListOptions, ModelsApi, ModelValidation } from '../contract/management.ts';
import { redactSecrets } from '../redact/redact.ts';
import { askAgent } from '../registry/ask-agent.ts';
import type { Registry } from '../registry/registry.ts';
import { messageOf } from '../values.ts';
import { costOf } from './cost.ts';
import { findModel, pricingOf, withBundledFacts, withListPrice } from './facts.ts';
import { ModelCache } from './model-cache.ts';
import { suggestModels } from './suggest.ts';

export class Models implements ModelsApi {
  readonly #adapters: Registry;
  readonly #env: NodeJS.ProcessEnv;
  readonly #cache: ModelCache;

  constructor({ adapters, env }: { adapters: Registry; env: NodeJS.ProcessEnv }) {
    this.#adapters = adapters;
    this.#env = env;
    this.#cache = new ModelCache(env);
  }

  async list(agent: string, { refresh = false, bundledOnly = false }: ModelListOptions = {}): Promise<ModelList> {
    const adapter = this.#adapters.get(agent);
    const bundled: ModelList = { agent, source: 'bundled', models: adapter.models.map(withListPrice) };
    if (!adapter.modelQuery || bundledOnly) return bundled;
    try {
      const { models, askedAt } = await this.#ask(adapter, adapter.modelQuery, refresh);
      return { agent, source: 'agent', askedAt, models: withBundledFacts(models, adapter.models).map(withListPrice) };
    } catch (error) {
      const problem = messageOf(error);
      return { ...bundled, problem: redactSecrets(problem) };
    }
  }

  async find(agent: string, model: string, options?: ModelListOptions): Promise<ModelCapabilities | null> {
    return findModel((await this.list(agent, options)).models, model) ?? null;
  }

  async validate(agent: string, model: string, options?: ModelListOptions): Promise<ModelValidation> {
    const { models, source } = await this.list(agent, options);
    if (models.length === 0) return { agent, model, ok: true, id: null, source: null, suggestions: [] };
    const found = findModel(models, model);
    if (found) return { agent, model, ok: true, id: found.id, source, suggestions: [] };
    return { agent, model, ok: false, id: null, source, suggestions: suggestModels(model, models) };
  }

  async defaultModel(agent: string, { cwd }: { cwd?: string } = {}): Promise<string | null> {
    const adapter = this.#adapters.get(agent);
    const config = await adapter.readConfig(cwd, this.#env).catch(() => ({ model: undefined }));
    return config.model ?? adapter.defaultModelId ?? null;
  }

  async estimateCost(agent: string, model: string, usage: Partial<TokenUsage>): Promise<number | null> {
    const pricing = pricingOf(this.#adapters.get(agent).models, model) ?? (await this.find(agent, model))?.pricing;
    return pricing ? costOf(pricing, usage) : null;
  }

  async #ask(adapter: AgentAdapter, query: NonNullable<AgentAdapter['modelQuery']>, refresh: boolean) {
    const binary = await this.#adapters.lookup(adapter.agent);
    const key = await this.#cache.keyOf(adapter, binary, [...query.args, query.stdin ?? '']);
    const cached = refresh ? null : await this.#cache.read(key);
    if (cached) return cached;
    const models = await askAgent({ adapters: this.#adapters, env: this.#env }, adapter, query);
    const answer = { askedAt: Date.now(), models };
    await this.#cache.write(key, answer);
    return answer;
  }
}
