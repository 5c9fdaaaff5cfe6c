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

/** The fields that every profile with a process has. */
export const processFields = {
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  work_dir: z.string().default(''),
  env: z.record(z.string().min(1), z.string()).default({}),
};

export interface ProcessConfig {
  command: string;
  args: string[];
  work_dir: string;
  env: Record<string, string>;
}

/**
 * Programs that cannot ask. The user named the command in a definition, so `prompt` does not refuse it; since it runs
 * with whatever rights it has, a `cannot_ask` event says so. The modes that promise less than that are not declared.
 */
export const CANNOT_ASK: AgentCapabilities = {
  ...NO_CAPABILITIES,
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  approvalModes: ['prompt', 'yolo'],
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
  readonly #defined: Pick<ProcessConfig, 'work_dir' | 'env'>;

  constructor(id: string, name: string, command: string, { work_dir = '', env = {} }: Partial<ProcessConfig> = {}) {
    super();
    this.agent = id;
    this.displayName = name;
    this.cliCommand = command;
    this.#defined = { work_dir, env };
  }

  /**
   * The definition's folder stands over the run's: the command may live from the files around it. Its variables are the
   * word of who wrote it, as if the caller had passed them.
   */
  override fillOptions(options: ResolvedRunOptions): ResolvedRunOptions {
    const { work_dir, env } = this.#defined;
    const cwd = work_dir === '' ? options.cwd : expandPath(work_dir, process.env, options.cwd);
    return { ...options, cwd, env: { ...this.#expanded(env), ...options.env } };
  }

  /** One that refers to a variable which is not set is told by `spawnArgs`, when the run begins. */
  #expanded(env: ProcessConfig['env']): Record<string, string> {
    try {
      return expandEnvReferences(this.agent, 'env', env);
    } catch {
      return {};
    }
  }

  /** Only looks for the command. Running it to ask for a version could be the very job. */
  async detectInstallation(): Promise<DetectInstallationResult> {
    const path = await lookupBinary(this.cliCommand);
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
      env: { ...expandEnvReferences(this.agent, `${key}.env`, config.env), ...this.buildEnvFromOptions(options) },
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

/** Where a command with a slash is meant to be: seen from the definition's own folder, which is where it starts. */
export function commandPath(config: ProcessConfig): string {
  const { command, work_dir } = config;
  const isPath = command.startsWith('~') || /[\\/]/.test(command);
  if (!isPath || (work_dir === '' && !command.startsWith('~'))) return command;
  return expandPath(command, process.env, work_dir === '' ? undefined : expandPath(work_dir));
}

/** Runs that would start the process in the same way may share it. */
export function processKey(agent: string, options: ResolvedRunOptions): string {
  const { cwd, env = {}, inheritEnv = false, invocation } = options;
  const given = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([agent, cwd, given, inheritEnv, invocation]);
}
