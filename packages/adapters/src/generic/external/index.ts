import { type AgentCapabilities, type DefinedAdapter, defineAdapter, NO_CAPABILITIES } from '@agent-mux/core';
import { z } from 'zod';
import { definedCommand, genericSpec, launchDefined, PREFIXED, processFields, processKey } from '../generic-adapter.ts';
import { type DefinitionProfile, noFile } from '../profile.ts';
import { bySessionId, externalCodec } from './codec.ts';

const ExternalConfigSchema = z.strictObject(processFields);
export type ExternalConfig = z.infer<typeof ExternalConfigSchema>;

/** Capabilities of the protocol. Whether an adapter uses them (usage, tools, questions) is up to its author. */
const EXTERNAL_CAPABILITIES: AgentCapabilities = {
  ...NO_CAPABILITIES,
  execModel: 'interactive',
  supportsMultiTurn: true,
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  supportsFileAttachments: true,
  supportsImageInput: true,
  // A mode reaches the adapter with session.start, and its requests are still decided by the mode.
  approvalModes: ['prompt', 'accept-edits', 'plan', 'deny', 'yolo'],
  supportsQuestions: true,
  supportsInterrupt: true,
  systemPrompt: PREFIXED,
};

/** A process that serves all runs of its agent at once, with the protocol of docs/external-protocol.md. */
export function defineExternalAgent(
  id: string,
  name: string,
  config: ExternalConfig,
  place = noFile(),
): DefinedAdapter {
  const defined = { id, name, command: definedCommand(config.command, place), place };
  return defineAdapter({
    ...genericSpec(defined, config),
    modes: [
      {
        name: 'live',
        driver: 'live',
        summary: 'one process for many sessions, JSON lines',
        capabilities: EXTERNAL_CAPABILITIES,
        live: {
          transport: 'stdio',
          codec: externalCodec,
          waitForSession: false,
          share: { key: (options) => processKey(id, options), ...bySessionId },
        },
      },
    ],
    launch: (options) => launchDefined(defined, 'external', config, options),
  });
}

export const externalProfile: DefinitionProfile<ExternalConfig> = {
  profile: 'external',
  key: 'external',
  schema: ExternalConfigSchema,
  create: defineExternalAgent,
};
