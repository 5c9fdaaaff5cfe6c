import { expandPath, type ResolvedRunOptions, type SpawnArgs } from '@agent-mux/core';
import { z } from 'zod';
import { expandEnvReferences } from '../generic/env-references.ts';
import type { DefinitionProfile } from '../generic/profile.ts';
import { CopilotAdapter } from './index.ts';
import { launchCopilot } from './launch.ts';

const KEY = 'copilot';

const CopilotConfigSchema = z.strictObject({
  command: z.string().min(1).default('copilot'),
  work_dir: z.string().default(''),
  env: z.record(z.string().min(1), z.string()).default({}),
  model: z.string().default(''),
  allowed_tools: z.array(z.string().min(1)).default([]),
  denied_tools: z.array(z.string().min(1)).default([]),
});

export type CopilotConfig = z.infer<typeof CopilotConfigSchema>;

/** Copilot under another name, with defaults beneath the options of a run. */
class DefinedCopilot extends CopilotAdapter {
  override readonly agent: string;
  override readonly displayName: string;
  override readonly cliCommand: string;
  readonly #config: CopilotConfig;

  constructor(id: string, name: string, config: CopilotConfig) {
    super();
    this.agent = id;
    this.displayName = name;
    this.cliCommand = config.command.startsWith('~') ? expandPath(config.command) : config.command;
    this.#config = config;
  }

  override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    const { work_dir, env, model, allowed_tools, denied_tools } = this.#config;
    const spawn = launchCopilot({
      ...options,
      cwd: work_dir ? expandPath(work_dir, process.env, options.cwd) : options.cwd,
      model: options.model ?? (model || undefined),
      allowedTools: options.allowedTools ?? allowed_tools,
      deniedTools: options.deniedTools ?? denied_tools,
    });
    return {
      ...spawn,
      command: this.cliCommand,
      env: { ...spawn.env, ...expandEnvReferences(this.agent, `${KEY}.env`, env) },
    };
  }
}

/** `{ "profile": "github-copilot", "copilot": {...} }` */
export const copilotProfile: DefinitionProfile<CopilotConfig> = {
  profile: 'github-copilot',
  key: KEY,
  schema: CopilotConfigSchema,
  create: (id, name, config) => new DefinedCopilot(id, name, config),
};
