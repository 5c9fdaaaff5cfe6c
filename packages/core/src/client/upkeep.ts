import type { AuthApi, InstallApi, ModelsApi } from '../contract/upkeep.ts';
import type { Registry } from '../registry/registry.ts';

export interface Around {
  adapters: Registry;
  env: NodeJS.ProcessEnv;
}

export interface Upkeep {
  auth: AuthApi;
  models: ModelsApi;
  installer: InstallApi;
}

/** Loaded when first used: a run needs none of it. */
export function openUpkeep(around: Around): Upkeep {
  const auth = once(async () => new (await import('../auth/auth.ts')).Auth(around));
  const models = once(async () => new (await import('../models/models.ts')).Models(around));
  const installer = once(async () => new (await import('../install/installer.ts')).Installer(around));
  return {
    auth: {
      check: async (agent) => (await auth()).check(agent),
      checkAll: async () => (await auth()).checkAll(),
      guidance: async (agent, platform) => (await auth()).guidance(agent, platform),
    },
    models: {
      list: async (agent, options) => (await models()).list(agent, options),
      find: async (agent, model, options) => (await models()).find(agent, model, options),
      validate: async (agent, model, options) => (await models()).validate(agent, model, options),
      defaultModel: async (agent, options) => (await models()).defaultModel(agent, options),
      estimateCost: async (agent, model, usage) => (await models()).estimateCost(agent, model, usage),
    },
    installer: {
      plan: async (agent, options) => (await installer()).plan(agent, options),
      install: async (agent, options) => (await installer()).install(agent, options),
      update: async (agent, options) => (await installer()).update(agent, options),
      uninstall: async (agent, options) => (await installer()).uninstall(agent, options),
    },
  };
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
