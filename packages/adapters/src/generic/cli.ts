import type {
  AgentCapabilities,
  AgentMode,
  ApprovalMode,
  EventBody,
  LiveCodec,
  ResolvedRunOptions,
  SpawnArgs,
  StdioLive,
} from '@agent-mux/core';
import { z } from 'zod';
import {
  CANNOT_ASK,
  cannotAskEvents,
  definedCommand,
  GenericAdapter,
  processFields,
  processKey,
} from './generic-adapter.ts';
import { type DefinitionProfile, noFile } from './profile.ts';

const TerminalCells = z.int().min(1).max(10_000);
const CliConfigSchema = z.strictObject({
  ...processFields,
  spawn_policy: z.enum(['per-session', 'persistent']).default('per-session'),
  pty: z.union([z.boolean(), z.strictObject({ cols: TerminalCells, rows: TerminalCells })]).default(false),
});
export type CliConfig = z.infer<typeof CliConfigSchema>;

/** Nothing says that such a program has finished its answer but its silence. */
export const QUIET_ENDS_TURN_MS = 2_000;

const CAPABILITIES: AgentCapabilities = {
  ...CANNOT_ASK,
  execModel: 'interactive',
  turnCompletion: false,
  supportsMultiTurn: true,
};

interface CliState {
  channel: string;
  approvalMode: ApprovalMode;
  warned: boolean;
}

/** Any program that reads lines and prints text. */
export class GenericCliAdapter extends GenericAdapter {
  readonly #config: CliConfig;
  override readonly modes: readonly AgentMode[];

  constructor(id: string, name: string, config: CliConfig, place = noFile()) {
    super(id, name, definedCommand(config.command, place), config, place);
    this.#config = config;
    const summary =
      config.spawn_policy === 'persistent'
        ? 'one process for all runs; a turn ends when it falls silent'
        : 'a process per run; a turn ends with it, or in an interactive run when it falls silent';
    const capabilities = { ...CAPABILITIES, requiresPty: config.pty !== false };
    this.modes = [{ name: 'live', driver: 'live', summary, capabilities, live: this.#live() }];
  }

  buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    const { pty } = this.#config;
    const terminal = typeof pty === 'object' ? { terminal: pty } : {};
    return { ...this.spawnArgs('cli', this.#config, options), usePty: pty !== false, ...terminal };
  }

  #live(): StdioLive {
    const base = {
      transport: 'stdio',
      codec: textCodec(this.displayName),
      sessionFirst: false,
      quietEndsTurnMs: QUIET_ENDS_TURN_MS,
    } as const;
    if (this.#config.spawn_policy === 'per-session') return { ...base, eofAfterPrompt: true };
    return {
      ...base,
      share: {
        key: (options) => processKey(this.agent, options),
        channelOf: (state: CliState) => state.channel,
        // Plain text does not say whom it answers: whoever has a turn open gets it.
        route: () => undefined,
      },
    };
  }
}

function textCodec(name: string): LiveCodec<CliState> {
  return {
    open: (options) => ({ channel: options.runId, approvalMode: options.approvalMode, warned: false }),
    hello: () => [],
    turn: (input) => [input.text],
    decode(line, state, context) {
      const events: EventBody[] = state.warned ? [] : cannotAskEvents(name, state.approvalMode);
      state.warned = true;
      // Of a shared process: the answer to somebody else, or a banner.
      if (context.turnActive) events.push({ type: 'text_delta', delta: `${line}\n` });
      else events.push({ type: 'log', source: 'stdout', line });
      return { events };
    },
    resolve: () => [],
  };
}

export const cliProfile: DefinitionProfile<CliConfig> = {
  profile: 'generic-cli',
  key: 'cli',
  schema: CliConfigSchema,
  create: (id, name, config, place) => new GenericCliAdapter(id, name, config, place),
};
