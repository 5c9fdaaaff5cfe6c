import {
  type AdapterSheet,
  type AgentCapabilities,
  type ApprovalMode,
  type EventBody,
  expandPath,
  type Launch,
  lookupBinary,
  NO_CAPABILITIES,
  type ResolvedRunOptions,
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

/** Who an agent of a definition is. */
export interface DefinedAgent {
  id: string;
  name: string;
  command: string;
  place: DefinitionPlace;
}

/** What every agent of a definition has: a command that somebody else wrote and named, with no permission modes of its own. */
export function genericSheet(
  { id, name, command, place }: DefinedAgent,
  { work_dir = '', env = {}, system_prompt = '' }: Partial<ProcessConfig>,
) {
  return {
    agent: id,
    displayName: name,
    cliCommand: command,
    nativeModes: [],
    // Its variables are the word of who wrote it, as if the caller had passed them.
    fillOptions(options) {
      const systemPrompt = options.systemPrompt ?? (system_prompt || undefined);
      return {
        ...options,
        cwd: definedFolder(work_dir, options, place),
        env: { ...expandQuietly(id, env, place), ...options.env },
        ...(systemPrompt === undefined ? {} : { systemPrompt }),
      };
    },
    // Only looks for the command. Running it to ask for a version could be the very job.
    async detectInstallation() {
      const path = await lookupBinary(command, { env: place.env });
      return path === null ? { installed: false } : { installed: true, path };
    },
    parse: (line, { source }) => ({ type: 'log', source, line }),
  } satisfies Partial<AdapterSheet>;
}

/** One that refers to a variable which is not set is told by `launchDefined`, when the run begins. */
function expandQuietly(id: string, env: ProcessConfig['env'], place: DefinitionPlace): Record<string, string> {
  try {
    return expandEnvReferences(id, 'env', env, place.env);
  } catch {
    return {};
  }
}

/** `key`: where its fields stand in the definition. */
export function launchDefined(
  { id, place }: DefinedAgent,
  key: string,
  config: ProcessConfig,
  options: ResolvedRunOptions,
): Launch {
  const env = { ...expandEnvReferences(id, `${key}.env`, config.env, place.env), ...options.env };
  return { args: [...config.args], env };
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
