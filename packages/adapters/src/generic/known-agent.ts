import { type AgentAdapter, expandPath, type ResolvedRunOptions, type SpawnArgs } from '@agent-mux/core';
import { z } from 'zod';
import { expandEnvReferences } from './env-references.ts';
import type { DefinitionProfile } from './profile.ts';

/** The fields that every definition of a known agent has. An empty string leaves the choice to the CLI. */
export const knownAgentFields = (command: string) => ({
  command: z.string().min(1).default(command),
  work_dir: z.string().default(''),
  env: z.record(z.string().min(1), z.string()).default({}),
  model: z.string().default(''),
});

interface KnownAgentConfig {
  command: string;
  work_dir: string;
  env: Record<string, string>;
  model: string;
}

interface KnownAgentProfile<T> {
  profile: string;
  key: string;
  schema: z.ZodType<T>;
  Known: new () => AgentAdapter;
  /** What the fields of its own set, where the run says nothing. */
  fill?: (config: T, options: ResolvedRunOptions) => Partial<ResolvedRunOptions>;
}

/** `{ "profile": ..., "<key>": {...} }`: a known agent under another name, with defaults beneath the options of a run. */
export function knownAgentProfile<T extends KnownAgentConfig>(known: KnownAgentProfile<T>): DefinitionProfile<T> {
  const { profile, key, schema } = known;
  return { profile, key, schema, create: (id, name, config) => define(id, name, config, known) };
}

function define<T extends KnownAgentConfig>(
  id: string,
  name: string,
  config: T,
  { key, Known, fill }: KnownAgentProfile<T>,
): AgentAdapter {
  const command = config.command.startsWith('~') ? expandPath(config.command) : config.command;
  return new (class extends Known {
    override readonly agent = id;
    override readonly displayName = name;
    override readonly cliCommand = command;

    override fillOptions(options: ResolvedRunOptions): ResolvedRunOptions {
      const model = options.model ?? config.model;
      return {
        ...options,
        cwd: config.work_dir ? expandPath(config.work_dir, process.env, options.cwd) : options.cwd,
        env: { ...expandEnvReferences(id, `${key}.env`, config.env), ...options.env },
        ...(model ? { model } : {}),
        ...fill?.(config, options),
      };
    }

    override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
      return { ...super.buildSpawnArgs(options), command };
    }
  })();
}
