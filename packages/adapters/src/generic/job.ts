import {
  type AgentCapabilities,
  type DefinedAdapter,
  defineAdapter,
  type EventBody,
  type ParseContext,
} from '@agent-mux/core';
import { z } from 'zod';
import { durationMs } from './duration.ts';
import {
  definedCommand,
  genericSpec,
  launchDefined,
  NO_APPROVALS,
  noApprovalEvents,
  processFields,
} from './generic-adapter.ts';
import { type DefinitionProfile, noFile } from './profile.ts';

const JobConfigSchema = z.strictObject({ ...processFields, max_runtime: durationMs.prefault('5m') });
export type JobConfig = z.infer<typeof JobConfigSchema>;

const CAPABILITIES: AgentCapabilities = { ...NO_APPROVALS, execModel: 'run-to-completion', supportsMultiTurn: true };

/** Any program that reads its input to the end, prints, and exits. */
export function defineJobAgent(id: string, name: string, config: JobConfig, place = noFile()): DefinedAdapter {
  const defined = { id, name, command: definedCommand(config.command, place), place };
  return defineAdapter({
    ...genericSpec(defined, config),
    modes: [{ name: 'oneshot', driver: 'oneshot', summary: 'a process per message', capabilities: CAPABILITIES }],
    launch: (options) => ({
      ...launchDefined(defined, 'job', config, options),
      stdin: `${options.prompt}\n`,
      timeout: config.max_runtime,
    }),
    parse(line, context) {
      if (context.source === 'stderr') return { type: 'log', source: 'stderr', line };
      return [...opening(name, context), { type: 'text_delta', delta: `${line}\n` }];
    },
    // A process that ran and failed is a failure of the job, not a crash.
    parseEnd(context, { code }) {
      const events = opening(name, context);
      if (code === null || code === 0) return events;
      const message = `${name} exited with code ${code}`;
      return [...events, { type: 'error', code: 'AGENT_ERROR', message, recoverable: false }];
    },
  });
}

/** Events before anything else. */
function opening(name: string, { adapterState, options }: ParseContext): EventBody[] {
  if (adapterState.warned) return [];
  adapterState.warned = true;
  return noApprovalEvents(name, options.approvalMode);
}

export const jobProfile: DefinitionProfile<JobConfig> = {
  profile: 'generic-job',
  key: 'job',
  schema: JobConfigSchema,
  create: defineJobAgent,
};
