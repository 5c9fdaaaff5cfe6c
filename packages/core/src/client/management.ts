import type { AuthApi, InstallApi, ModelsApi } from '../contract/management.ts';
import { lazyModules } from '../lazy-modules.ts';
import type { Registry } from '../registry/registry.ts';

export interface ManagementContext {
  adapters: Registry;
  env: NodeJS.ProcessEnv;
}

export interface AgentManagement {
  auth: AuthApi;
  models: ModelsApi;
  installer: InstallApi;
}

/** Loaded on first use: a run needs none of it. */
export function createManagement(context: ManagementContext): AgentManagement {
  const auth = once(() => new (lazyModules.auth().Auth)(context));
  const models = once(() => new (lazyModules.models().Models)(context));
  const installer = once(() => new (lazyModules.installer().Installer)(context));
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
