import { expandPath, type ResolvedRunOptions, type SpawnArgs } from '@agent-mux/core';
import { z } from 'zod';
import { expandEnvReferences } from '../generic/env-references.ts';
import type { DefinitionProfile } from '../generic/profile.ts';
import { ClaudeAdapter } from './index.ts';
import { type ClaudeDefaults, launchClaude } from './launch.ts';

const KEY = 'claude_code';

const ClaudeConfigSchema = z.strictObject({
  command: z.string().min(1).default('claude'),
  work_dir: z.string().default(''),
  env: z.record(z.string().min(1), z.string()).default({}),
  model: z.string().default(''),
  permission_mode: z.string().default(''),
  max_turns: z.int().min(0).default(0),
  allowed_tools: z.array(z.string().min(1)).default([]),
  system_prompt: z.string().default(''),
});

export type ClaudeConfig = z.infer<typeof ClaudeConfigSchema>;

/** The name of a flag that people write where a mode belongs. */
const MODE_BY_FLAG: Readonly<Record<string, string>> = { 'dangerously-skip-permissions': 'bypassPermissions' };

/** Claude Code under another name, with defaults beneath the options of a run. */
class DefinedClaude extends ClaudeAdapter {
  override readonly agent: string;
  override readonly displayName: string;
  override readonly cliCommand: string;
  readonly #config: ClaudeConfig;

  constructor(id: string, name: string, config: ClaudeConfig) {
    super();
    this.agent = id;
    this.displayName = name;
    this.cliCommand = config.command.startsWith('~') ? expandPath(config.command) : config.command;
    this.#config = config;
  }

  override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return launchClaude(options, this.#defaults(options));
  }

  /** An empty string, list or 0 leaves the choice to the CLI. */
  #defaults(options: ResolvedRunOptions): ClaudeDefaults {
    const { work_dir, env, model, permission_mode, max_turns, allowed_tools, system_prompt } = this.#config;
    return {
      command: this.cliCommand,
      cwd: work_dir ? expandPath(work_dir, process.env, options.cwd) : options.cwd,
      env: expandEnvReferences(this.agent, `${KEY}.env`, env),
      ...(model ? { model } : {}),
      ...(permission_mode ? { permissionMode: MODE_BY_FLAG[permission_mode] ?? permission_mode } : {}),
      ...(max_turns ? { maxTurns: max_turns } : {}),
      ...(allowed_tools.length > 0 ? { allowedTools: allowed_tools } : {}),
      ...(system_prompt ? { systemPrompt: system_prompt } : {}),
    };
  }
}

/** `{ "profile": "claude-code", "claude_code": {...} }` */
export const claudeProfile: DefinitionProfile<ClaudeConfig> = {
  profile: 'claude-code',
  key: KEY,
  schema: ClaudeConfigSchema,
  create: (id, name, config) => new DefinedClaude(id, name, config),
};
