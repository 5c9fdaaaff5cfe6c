import {
  type AdapterSpec,
  type AgentCapabilities,
  type ApprovalMode,
  type EventBody,
  expandPath,
  type LaunchArgs,
  lookupBinary,
  NO_CAPABILITIES,
  type ResolvedRunOptions,
} from '@agent-mux/core';
import { z } from 'zod';
import { expandEnvReferences } from './env-references.ts';
import type { DefinitionSource } from './profile.ts';

/** Fields of every profile with a process. */
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

/** A program without system prompts gets one at the start of its first prompt. */
export const PREFIXED: AgentCapabilities['systemPrompt'] = { append: 'prefix', prepend: 'prefix' };

/**
 * Programs that cannot ask. The user named the command in a definition, so `prompt` does not refuse it; since it runs
 * with whatever rights it has, an `approvals_unsupported` event says so. Modes that promise less are not declared.
 */
export const NO_APPROVALS: AgentCapabilities = {
  ...NO_CAPABILITIES,
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  approvalModes: ['prompt', 'yolo'],
  systemPrompt: PREFIXED,
};

export function noApprovalEvents(name: string, mode: ApprovalMode): EventBody[] {
  if (mode !== 'prompt') return [];
  const message = `${name} cannot ask for approval: it runs with all the permissions of its command`;
  return [{ type: 'debug', level: 'warn', code: 'approvals_unsupported', message }];
}

/** Identity of an agent definition. */
export interface DefinedAgent {
  id: string;
  name: string;
  command: string;
  place: DefinitionSource;
}

/**
 * Common properties of defined agents: a command that another party wrote and named, without native permission modes.
 */
export function genericSpec(
  { id, name, command, place }: DefinedAgent,
  { work_dir = '', env = {}, system_prompt = '' }: Partial<ProcessConfig>,
) {
  return {
    agent: id,
    displayName: name,
    cliCommand: command,
    nativeModes: [],
    // Its variables come from the author of the definition, as if the caller had passed them.
    applyDefaults(options) {
      const systemPrompt = options.systemPrompt ?? (system_prompt || undefined);
      return {
        ...options,
        cwd: definedFolder(work_dir, options, place),
        env: { ...expandQuietly(id, env, place), ...options.env },
        ...(systemPrompt === undefined ? {} : { systemPrompt }),
      };
    },
    // Only looks for the command. Running it to get a version could already run the job.
    async detectInstallation() {
      const path = await lookupBinary(command, { env: place.env });
      return path === null ? { installed: false } : { installed: true, path };
    },
    parse: (line, { source }) => ({ type: 'log', source, line }),
  } satisfies Partial<AdapterSpec>;
}

/** `launchDefined` reports references to unset variables when the run starts. */
function expandQuietly(id: string, env: ProcessConfig['env'], place: DefinitionSource): Record<string, string> {
  try {
    return expandEnvReferences(id, 'env', env, place.env);
  } catch {
    return {};
  }
}

/** `key`: the key of its fields in the definition. */
export function launchDefined(
  { id, place }: DefinedAgent,
  key: string,
  config: ProcessConfig,
  options: ResolvedRunOptions,
): LaunchArgs {
  const env = { ...expandEnvReferences(id, `${key}.env`, config.env, place.env), ...options.env };
  return { args: [...config.args], env };
}

/** A command with a slash is a path relative to the file that names it; any other is looked up on PATH. */
export function definedCommand(command: string, { env, folder }: DefinitionSource): string {
  const isPath = command.startsWith('~') || /[\\/]/.test(command);
  return isPath ? expandPath(command, env, folder) : command;
}

/** The folder of a run overrides the definition's, which overrides the current one. */
export function definedFolder(
  work_dir: string,
  { cwd, cwdGiven }: ResolvedRunOptions,
  place: DefinitionSource,
): string {
  return work_dir === '' || cwdGiven ? cwd : expandPath(work_dir, place.env, cwd);
}

/** Runs that would start the process in the same way may share it. */
export function processKey(agent: string, options: ResolvedRunOptions): string {
  const { cwd, env = {}, inheritEnv = false, invocation } = options;
  const given = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([agent, cwd, given, inheritEnv, invocation]);
}
