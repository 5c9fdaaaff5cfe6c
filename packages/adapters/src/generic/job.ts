import type {
  AgentCapabilities,
  AgentMode,
  EventBody,
  ParseContext,
  ResolvedRunOptions,
  SpawnArgs,
} from '@agent-mux/core';
import { z } from 'zod';
import { durationMs } from './duration.ts';
import { CANNOT_ASK, cannotAskEvents, definedCommand, GenericAdapter, processFields } from './generic-adapter.ts';
import { type DefinitionProfile, noFile } from './profile.ts';

const JobConfigSchema = z.strictObject({ ...processFields, max_runtime: durationMs.prefault('5m') });
export type JobConfig = z.infer<typeof JobConfigSchema>;

const CAPABILITIES: AgentCapabilities = { ...CANNOT_ASK, execModel: 'run-to-completion', supportsMultiTurn: true };

/** Any program that reads its input to the end, prints, and exits. */
export class GenericJobAdapter extends GenericAdapter {
  readonly #config: JobConfig;
  override readonly modes: readonly AgentMode[] = [
    { name: 'oneshot', driver: 'oneshot', summary: 'a process per message', capabilities: CAPABILITIES },
  ];

  constructor(id: string, name: string, config: JobConfig, place = noFile()) {
    super(id, name, definedCommand(config.command, place), config, place);
    this.#config = config;
  }

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return {
      ...this.spawnArgs('job', this.#config, options),
      stdin: `${options.prompt}\n`,
      timeout: this.#config.max_runtime,
    };
  }

  override parseEvent(line: string, context: ParseContext): EventBody[] {
    if (context.source === 'stderr') return [{ type: 'log', source: 'stderr', line }];
    return [...this.#opening(context), { type: 'text_delta', delta: `${line}\n` }];
  }

  /** That the process ran and said no is a failure of the job, not a crash. */
  parseEnd(context: ParseContext, exit: { code: number | null }): EventBody[] {
    const events = this.#opening(context);
    if (exit.code === null || exit.code === 0) return events;
    const message = `${this.displayName} exited with code ${exit.code}`;
    return [...events, { type: 'error', code: 'AGENT_ERROR', message, recoverable: false }];
  }

  #opening(context: ParseContext): EventBody[] {
    if (context.adapterState.warned) return [];
    context.adapterState.warned = true;
    return cannotAskEvents(this.displayName, context.options.approvalMode);
  }
}

export const jobProfile: DefinitionProfile<JobConfig> = {
  profile: 'generic-job',
  key: 'job',
  schema: JobConfigSchema,
  create: (id, name, config, place) => new GenericJobAdapter(id, name, config, place),
};
