import {
  type AgentCapabilities,
  APPROVAL_MODES,
  type ApprovalMode,
  type DefinedAdapter,
  defineAdapter,
  NO_CAPABILITIES,
} from '@agent-mux/core';
import { z } from 'zod';
import { definedCommand, genericSpec, launchDefined, processFields } from '../generic/generic-adapter.ts';
import { type DefinitionProfile, noFile } from '../generic/profile.ts';
import { acpCodec } from './codec.ts';
import type { AcpDialect } from './dialect.ts';

const AcpConfigSchema = z.strictObject({
  ...processFields,
  /** The agent's own mode ids for our approval modes: they are vendor-specific, so none is guessed. */
  modes: z.partialRecord(z.enum(APPROVAL_MODES), z.string().min(1)).default({}),
  /** `session/set_model` for agents that have it, or the id of the config option that holds the model. */
  model_by: z.string().min(1).optional(),
});
export type AcpConfig = z.infer<typeof AcpConfigSchema>;

/** Capabilities that the protocol itself guarantees; the rest is off, since the agent is not verified. */
const CAPABILITIES: AgentCapabilities = {
  ...NO_CAPABILITIES,
  canResume: true,
  supportsMultiTurn: true,
  sessionPersistence: 'file',
  nativeSessionIds: true,
  resumeAttach: true,
  execModel: 'interactive',
  supportsTextStreaming: true,
  supportsActivityStreaming: true,
  supportsThinking: true,
  supportsThinkingStreaming: true,
  systemPrompt: { append: 'prefix' },
  supportsImageInput: true,
  supportsNativeTools: true,
  supportsMCP: true,
  supportsInterrupt: true,
};

/** Any agent that speaks ACP. */
function defineAcpAgent(id: string, name: string, config: AcpConfig, place = noFile()): DefinedAdapter {
  const defined = { id, name, command: definedCommand(config.command, place), place };
  // `prompt`, `deny` and `yolo` are decided on the agent's requests; `plan` and `accept-edits` need its modes.
  const approvalModes: ApprovalMode[] = [
    'prompt',
    'deny',
    'yolo',
    ...(['plan', 'accept-edits'] as const).filter((mode) => config.modes[mode]),
  ];
  return defineAdapter({
    ...genericSpec(defined, config),
    modes: [
      {
        name: 'acp',
        driver: 'acp',
        summary: 'one process, many turns, over the Agent Client Protocol',
        capabilities: { ...CAPABILITIES, approvalModes, supportsModelSelection: config.model_by !== undefined },
        live: { transport: 'stdio', codec: acpCodec(dialectOf(config)), waitForSession: true },
      },
    ],
    // A native permission mode is sent to the agent as a mode id.
    nativeModes: ['acp'],
    launch: (options) => launchDefined(defined, 'acp', config, options),
  });
}

function dialectOf({ modes, model_by: model }: AcpConfig): AcpDialect {
  if (model === undefined) return { modes };
  return { modes, model: model === 'session/set_model' ? { by: 'set_model' } : { by: 'config', configId: model } };
}

export const acpProfile: DefinitionProfile<AcpConfig> = {
  profile: 'acp',
  key: 'acp',
  schema: AcpConfigSchema,
  create: defineAcpAgent,
};
