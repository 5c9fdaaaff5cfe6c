import { expandPath, type ResolvedRunOptions } from '@agent-mux/core';
import { z } from 'zod';
import { expandEnvReferences } from '../generic/env-references.ts';
import type { DefinitionProfile } from '../generic/profile.ts';
import type { FamilyDefaults } from '../opencode-family/index.ts';
import { KiloAdapter } from './index.ts';

const KEY = 'kilo';

const KiloConfigSchema = z
  .strictObject({
    command: z.string().min(1).default('kilo'),
    work_dir: z.string().default(''),
    env: z.record(z.string().min(1), z.string()).default({}),
    model: z.string().default(''),
    provider: z.string().default(''),
  })
  .refine(({ model, provider }) => provider === '' || model !== '', {
    path: ['provider'],
    message: 'needs a model beside it',
  })
  .refine(({ model, provider }) => model === '' || provider !== '' || /^[^/]+\/.+/.test(model), {
    path: ['model'],
    message: 'must be written provider/model, unless "provider" names the provider',
  });

export type KiloConfig = z.infer<typeof KiloConfigSchema>;

/** Kilo under another name, with defaults beneath the options of a run. */
class DefinedKilo extends KiloAdapter {
  readonly #config: KiloConfig;

  constructor(id: string, name: string, config: KiloConfig) {
    const command = config.command.startsWith('~') ? expandPath(config.command) : config.command;
    super({ agent: id, displayName: name, command });
    this.#config = config;
  }

  /** An empty string leaves the choice to the CLI. */
  protected override defaults(options: ResolvedRunOptions): FamilyDefaults {
    const { work_dir, env, model, provider } = this.#config;
    return {
      cwd: work_dir ? expandPath(work_dir, process.env, options.cwd) : options.cwd,
      env: expandEnvReferences(this.agent, `${KEY}.env`, env),
      ...(model ? { model: modelOf(model, provider) } : {}),
    };
  }
}

/** `provider` beside a model that names it again is no second level. */
function modelOf(model: string, provider: string): string {
  return provider === '' || model.startsWith(`${provider}/`) ? model : `${provider}/${model}`;
}

/** `{ "profile": "kilo-code", "kilo": {...} }` */
export const kiloProfile: DefinitionProfile<KiloConfig> = {
  profile: 'kilo-code',
  key: KEY,
  schema: KiloConfigSchema,
  create: (id, name, config) => new DefinedKilo(id, name, config),
};
