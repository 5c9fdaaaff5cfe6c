import { type AgentMode, expandPath, type ResolvedRunOptions, type SpawnArgs } from '@agent-mux/core';
import { z } from 'zod';
import { expandEnvReferences } from '../generic/env-references.ts';
import type { DefinitionProfile } from '../generic/profile.ts';
import { CodexAdapter, codexModes } from './index.ts';
import { type CodexDefaults, launchCodex } from './launch.ts';
import { APPROVAL_POLICIES, SANDBOX_MODES } from './permissions.ts';

const KEY = 'codex';

const CodexConfigSchema = z.strictObject({
  command: z.string().min(1).default('codex'),
  work_dir: z.string().default(''),
  env: z.record(z.string().min(1), z.string()).default({}),
  model: z.string().default(''),
  approval_mode: z.enum(['', ...APPROVAL_POLICIES]).default(''),
  sandbox_mode: z.enum(['', ...SANDBOX_MODES]).default(''),
});

export type CodexConfig = z.infer<typeof CodexConfigSchema>;

/** Codex under another name, with defaults beneath the options of a run. */
class DefinedCodex extends CodexAdapter {
  override readonly agent: string;
  override readonly displayName: string;
  override readonly cliCommand: string;
  override readonly modes: readonly AgentMode[];
  readonly #config: CodexConfig;

  constructor(id: string, name: string, config: CodexConfig) {
    super();
    this.agent = id;
    this.displayName = name;
    this.cliCommand = config.command.startsWith('~') ? expandPath(config.command) : config.command;
    this.#config = config;
    this.modes = codexModes((options) => this.#threadDefaults(options));
  }

  override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    const env = expandEnvReferences(this.agent, `${KEY}.env`, this.#config.env);
    return launchCodex(options, { ...this.#threadDefaults(options), command: this.cliCommand, env });
  }

  /** An empty string leaves the choice to the run, and then to the CLI. */
  #threadDefaults(options: ResolvedRunOptions): CodexDefaults {
    const { work_dir, model, approval_mode, sandbox_mode } = this.#config;
    return {
      cwd: work_dir ? expandPath(work_dir, process.env, options.cwd) : options.cwd,
      ...(model ? { model } : {}),
      permissions: options.approvalModeGiven
        ? {}
        : {
            ...(approval_mode ? { approvalPolicy: approval_mode } : {}),
            ...(sandbox_mode ? { sandbox: sandbox_mode } : {}),
          },
    };
  }
}

/** `{ "profile": "codex", "codex": {...} }` */
export const codexProfile: DefinitionProfile<CodexConfig> = {
  profile: 'codex',
  key: KEY,
  schema: CodexConfigSchema,
  create: (id, name, config) => new DefinedCodex(id, name, config),
};
