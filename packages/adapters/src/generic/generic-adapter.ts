import {
  type AgentCapabilities,
  type ApprovalMode,
  BaseAgentAdapter,
  CapabilityError,
  type DetectInstallationResult,
  type EventBody,
  expandPath,
  lookupBinary,
  NO_CAPABILITIES,
  type ParseContext,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { z } from 'zod';
import { expandEnvReferences } from './env-references.ts';
import type { DefinitionPlace } from './profile.ts';

/** The fields that every profile with a process has. */
export const processFields = {
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  work_dir: z.string().default(''),
  env: z.record(z.string().min(1), z.string()).default({}),
  system_prompt: z.string().default(''),
};

export interface ProcessConfig {
  command: string;
  args: string[];
  work_dir: string;
  env: Record<string, string>;
  system_prompt: string;
}

/** A program that knows nothing of system prompts gets one as the beginning of its first prompt. */
export const PREFIXED: AgentCapabilities['systemPrompt'] = { append: 'prefix', prepend: 'prefix' };

/**
 * Programs that cannot ask. The user named the command in a definition, so `prompt` does not refuse it; since it runs
 * with whatever rights it has, a `cannot_ask` event says so. The modes that promise less than that are not declared.
 */
export const CANNOT_ASK: AgentCapabilities = {
  ...NO_CAPABILITIES,
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  approvalModes: ['prompt', 'yolo'],
  systemPrompt: PREFIXED,
};

export function cannotAskEvents(name: string, mode: ApprovalMode): EventBody[] {
  if (mode !== 'prompt') return [];
  const message = `${name} cannot ask for approval: it runs with all the permissions of its command`;
  return [{ type: 'debug', level: 'warn', code: 'cannot_ask', message }];
}

/** An agent made from a definition: a command that somebody else wrote and named. */
export abstract class GenericAdapter extends BaseAgentAdapter {
  readonly agent: string;
  readonly displayName: string;
  readonly cliCommand: string;
  readonly #defined: Pick<ProcessConfig, 'work_dir' | 'env' | 'system_prompt'>;
  readonly #place: DefinitionPlace;

  constructor(
    id: string,
    name: string,
    command: string,
    { work_dir = '', env = {}, system_prompt = '' }: Partial<ProcessConfig>,
    place: DefinitionPlace,
  ) {
    super();
    this.agent = id;
    this.displayName = name;
    this.cliCommand = command;
    this.#defined = { work_dir, env, system_prompt };
    this.#place = place;
  }

  /** Its variables are the word of who wrote it, as if the caller had passed them. */
  override fillOptions(options: ResolvedRunOptions): ResolvedRunOptions {
    const { work_dir, env, system_prompt } = this.#defined;
    const systemPrompt = options.systemPrompt ?? (system_prompt || undefined);
    return {
      ...options,
      cwd: definedFolder(work_dir, options, this.#place),
      env: { ...this.#expanded(env), ...options.env },
      ...(systemPrompt === undefined ? {} : { systemPrompt }),
    };
  }

  /** One that refers to a variable which is not set is told by `spawnArgs`, when the run begins. */
  #expanded(env: ProcessConfig['env']): Record<string, string> {
    try {
      return this.expand('env', env);
    } catch {
      return {};
    }
  }

  protected expand(field: string, values: Readonly<Record<string, string>>): Record<string, string> {
    return expandEnvReferences(this.agent, field, values, this.#place.env);
  }

  /** Only looks for the command. Running it to ask for a version could be the very job. */
  async detectInstallation(): Promise<DetectInstallationResult> {
    const path = await lookupBinary(this.cliCommand, { env: this.#place.env });
    return path === null ? { installed: false } : { installed: true, path };
  }

  parseEvent(line: string, context: ParseContext): EventBody | EventBody[] | null {
    return { type: 'log', source: context.source, line };
  }

  protected spawnArgs(key: string, config: ProcessConfig, options: ResolvedRunOptions): SpawnArgs {
    this.refuseNativeMode(options);
    return {
      command: this.cliCommand,
      args: [...config.args],
      env: { ...this.expand(`${key}.env`, config.env), ...this.buildEnvFromOptions(options) },
      cwd: options.cwd,
      usePty: false,
    };
  }

  protected refuseNativeMode(options: ResolvedRunOptions): void {
    if (options.nativePermissionMode === undefined) return;
    const message = `${this.displayName} has no permission modes of its own (option nativePermissionMode)`;
    throw new CapabilityError(this.agent, 'nativePermissionMode', message);
  }
}

/** A command with a slash is a path, seen from the file that names it; any other is looked for on PATH. */
export function definedCommand(command: string, { env, folder }: DefinitionPlace): string {
  const isPath = command.startsWith('~') || /[\\/]/.test(command);
  return isPath ? expandPath(command, env, folder) : command;
}

/** The folder that a run names stands over the definition's, which stands over the current one. */
export function definedFolder(work_dir: string, { cwd, cwdGiven }: ResolvedRunOptions, place: DefinitionPlace): string {
  return work_dir === '' || cwdGiven ? cwd : expandPath(work_dir, place.env, cwd);
}

/** Runs that would start the process in the same way may share it. */
export function processKey(agent: string, options: ResolvedRunOptions): string {
  const { cwd, env = {}, inheritEnv = false, invocation } = options;
  const given = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([agent, cwd, given, inheritEnv, invocation]);
}
