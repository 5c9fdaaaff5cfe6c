import {
  type AgentAdapter,
  APPROVAL_MODES,
  type ApprovalMode,
  type DefinedAdapter,
  defineAdapter,
  modesOf,
  type ResolvedRunOptions,
} from '@agent-mux/core';
import { z } from 'zod';
import { expandEnvReferences } from './env-references.ts';
import { definedCommand, definedFolder } from './generic-adapter.ts';
import { type DefinitionProfile, type DefinitionSource, noFile } from './profile.ts';

/** Fields of every definition of a known agent. An empty string leaves the choice to agent-mux or the CLI. */
export const knownAgentFields = (known: AgentAdapter) => ({
  command: z.string().min(1).default(known.cliCommand),
  work_dir: z.string().default(''),
  env: z.record(z.string().min(1), z.string()).default({}),
  model: z.string().default(''),
  mode: z.enum(['', ...modesOf(known).map(({ name }) => name)]).default(''),
  /** An approval mode of agent-mux, or else a native one. */
  approval_mode: z.string().default(''),
});

interface KnownAgentConfig {
  command: string;
  work_dir: string;
  env: Record<string, string>;
  model: string;
  mode: string;
  approval_mode: string;
}

interface KnownAgentProfile<T> {
  profile: string;
  key: string;
  schema: z.ZodType<T>;
  known: DefinedAdapter;
  /** Options from its own fields, if the run does not set them; they override the common fields. */
  fill?: (config: T, options: ResolvedRunOptions) => Partial<ResolvedRunOptions>;
}

/** `{ "profile": ..., "<key>": {...} }`: a known agent under another name, with defaults below the options of a run. */
export function knownAgentProfile<T extends KnownAgentConfig>(of: KnownAgentProfile<T>): DefinitionProfile<T> {
  const { profile, key, schema } = of;
  return { profile, key, schema, create: (id, name, config, place) => define(id, name, config, of, place) };
}

/** The caller has set permissions: those of a definition do not apply. */
export function explicitPermissions(options: ResolvedRunOptions): boolean {
  return options.approvalModeGiven || options.nativePermissionMode !== undefined;
}

export function isApprovalMode(word: string): word is ApprovalMode {
  return APPROVAL_MODES.some((mode) => mode === word);
}

function define<T extends KnownAgentConfig>(
  id: string,
  name: string,
  config: T,
  { key, known: { spec }, fill }: KnownAgentProfile<T>,
  place: DefinitionSource = noFile(),
): DefinedAdapter {
  const command = definedCommand(config.command, place);
  return defineAdapter({
    ...spec,
    agent: id,
    displayName: name,
    cliCommand: command,
    applyDefaults(options) {
      const model = options.model ?? config.model;
      return {
        ...options,
        cwd: definedFolder(config.work_dir, options, place),
        env: { ...expandEnvReferences(id, `${key}.env`, config.env, place.env), ...options.env },
        ...(model ? { model } : {}),
        ...(config.mode && !options.modeGiven ? { mode: config.mode } : {}),
        ...permissions(config.approval_mode, options),
        ...fill?.(config, options),
      };
    },
    launch: (options, env) => ({ ...spec.launch(options, env), command }),
  });
}

function permissions(word: string, options: ResolvedRunOptions): Partial<ResolvedRunOptions> {
  if (word === '' || explicitPermissions(options)) return {};
  return isApprovalMode(word) ? { approvalMode: word } : { nativePermissionMode: word };
}
