import {
  type AgentCapabilities,
  type AgentMode,
  APPROVAL_MODES,
  type ApprovalMode,
  NO_CAPABILITIES,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { z } from 'zod';
import { definedCommand, GenericAdapter, processFields } from '../generic/generic-adapter.ts';
import { type DefinitionProfile, noFile } from '../generic/profile.ts';
import { acpCodec } from './codec.ts';

const AcpConfigSchema = z.strictObject({
  ...processFields,
  /** The agent's own mode ids for our approval modes: they are vendor words, so none is guessed. */
  modes: z.partialRecord(z.enum(APPROVAL_MODES), z.string().min(1)).default({}),
  /** `session/set_model` for agents that have it, or the id of the config option that holds the model. */
  model_by: z.string().min(1).optional(),
});
export type AcpConfig = z.infer<typeof AcpConfigSchema>;

/** What the protocol itself grants; the rest is refused, since it is not known of an agent that nobody has proven. */
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
class AcpAdapter extends GenericAdapter {
  readonly #config: AcpConfig;
  override readonly modes: readonly AgentMode[];

  constructor(id: string, name: string, config: AcpConfig, place = noFile()) {
    super(id, name, definedCommand(config.command, place), config, place);
    this.#config = config;
    // `prompt`, `deny` and `yolo` are decided on the agent's own requests; `plan` and `accept-edits` need its modes.
    const approvalModes: ApprovalMode[] = [
      'prompt',
      'deny',
      'yolo',
      ...(['plan', 'accept-edits'] as const).filter((mode) => config.modes[mode]),
    ];
    const model = config.model_by;
    const codec = acpCodec({
      modes: config.modes,
      ...(model === undefined
        ? {}
        : {
            model:
              model === 'session/set_model' ? { by: 'set_model' as const } : { by: 'config' as const, configId: model },
          }),
    });
    this.modes = [
      {
        name: 'acp',
        driver: 'acp',
        summary: 'one process, many turns, over the Agent Client Protocol',
        capabilities: { ...CAPABILITIES, approvalModes, supportsModelSelection: model !== undefined },
        live: { transport: 'stdio', codec, sessionFirst: true },
      },
    ];
  }

  /** It goes to the agent as a mode id. */
  protected override refuseNativeMode(): void {}

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    return this.spawnArgs('acp', this.#config, options);
  }
}

export const acpProfile: DefinitionProfile<AcpConfig> = {
  profile: 'acp',
  key: 'acp',
  schema: AcpConfigSchema,
  create: (id, name, config, place) => new AcpAdapter(id, name, config, place),
};
