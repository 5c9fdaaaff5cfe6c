import type { AuthApi, InstallApi, ModelsApi } from '../contract/upkeep.ts';
import { onDemand } from '../on-demand.ts';
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
  const auth = once(() => new (onDemand.auth().Auth)(around));
  const models = once(() => new (onDemand.models().Models)(around));
  const installer = once(() => new (onDemand.installer().Installer)(around));
  return {
    auth: {
      check: async (agent) => auth().check(agent),
      checkAll: async () => auth().checkAll(),
      guidance: async (agent, platform) => auth().guidance(agent, platform),
    },
    models: {
      list: async (agent, options) => models().list(agent, options),
      find: async (agent, model, options) => models().find(agent, model, options),
      validate: async (agent, model, options) => models().validate(agent, model, options),
      defaultModel: async (agent, options) => models().defaultModel(agent, options),
      estimateCost: async (agent, model, usage) => models().estimateCost(agent, model, usage),
    },
    installer: {
      plan: async (agent, options) => installer().plan(agent, options),
      install: async (agent, options) => installer().install(agent, options),
      update: async (agent, options) => installer().update(agent, options),
      uninstall: async (agent, options) => installer().uninstall(agent, options),
    },
  };
}

export function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
