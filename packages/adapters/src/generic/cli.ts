import { type AgentCapabilities, type DefinedAdapter, defineAdapter, type StdioLive } from '@agent-mux/core';
import { z } from 'zod';
import { type CliState, type TurnEnds, textCodec } from './cli-codec.ts';
import { durationMs } from './duration.ts';
import {
  definedCommand,
  genericSpec,
  launchDefined,
  NO_APPROVALS,
  processFields,
  processKey,
} from './generic-adapter.ts';
import { linePattern } from './line-pattern.ts';
import { type DefinitionProfile, noFile } from './profile.ts';

/** An end marker and a prompt are short. */
const MARKER_CHARS = 200;
const MIN_TERMINAL_SILENCE_MS = 1_500;
const CONTROLS = /[\x00-\x1f\x7f]/;
const TerminalCells = z.int().min(1).max(10_000);
const EndMarker = z
  .string()
  .max(MARKER_CHARS)
  .transform((text) => text.trimEnd())
  .refine((text) => text !== '' && !CONTROLS.test(text), 'must be one line of text');
const PromptPattern = z
  .string()
  .max(MARKER_CHARS)
  .refine((text) => !CONTROLS.test(text), 'must be one line of text')
  .refine((text) => linePattern(text) !== undefined, 'must hold more than * and blanks: it would match any line');

const CliFields = z.strictObject({
  ...processFields,
  spawn_policy: z.enum(['per-session', 'persistent']).default('per-session'),
  /** This much silence after its last output ends a turn. */
  silence: durationMs.optional(),
  /** A line that it prints when an answer is complete; not shown. */
  end_marker: EndMarker.optional(),
  /** Pattern of its prompt when it waits for input: literal, `*` for anything. */
  prompt_pattern: PromptPattern.optional(),
  pty: z.union([z.boolean(), z.strictObject({ cols: TerminalCells, rows: TerminalCells })]).default(false),
});
const CliConfigSchema = CliFields.superRefine((config, context) => {
  const [first, ...others] = (['silence', 'end_marker', 'prompt_pattern'] as const).filter(
    (field) => config[field] !== undefined,
  );
  if (config.pty !== false && config.silence !== undefined && config.silence < MIN_TERMINAL_SILENCE_MS) {
    const message = `must be at least ${MIN_TERMINAL_SILENCE_MS}ms on a terminal, where an unfinished line is emitted after a second`;
    context.addIssue({ code: 'custom', path: ['silence'], message });
  }
  for (const field of others)
    context.addIssue({
      code: 'custom',
      path: [field],
      message: `cannot be combined with ${first}: only one of them can end a turn`,
    });
});
export type CliConfig = z.infer<typeof CliConfigSchema>;

/** Default if a definition does not say how an answer ends: this much silence after the last output. */
export const DEFAULT_SILENCE_MS = 2_000;

const CAPABILITIES: AgentCapabilities = {
  ...NO_APPROVALS,
  execModel: 'interactive',
  turnCompletion: false,
  supportsMultiTurn: true,
};

/** Any program that reads lines and prints text. */
export function defineCliAgent(id: string, name: string, config: CliConfig, place = noFile()): DefinedAdapter {
  const defined = { id, name, command: definedCommand(config.command, place), place };
  const { pty } = config;
  return defineAdapter({
    ...genericSpec(defined, config),
    modes: [
      {
        name: 'live',
        driver: 'live',
        summary: summaryOf(config),
        capabilities: { ...CAPABILITIES, requiresPty: pty !== false },
        live: liveOf(id, name, config),
      },
    ],
    launch: (options) => ({
      ...launchDefined(defined, 'cli', config, options),
      usePty: pty !== false,
      ...(typeof pty === 'object' ? { terminal: pty } : {}),
    }),
  });
}

function summaryOf(config: CliConfig): string {
  const ends = { silence: 'it falls silent', marker: 'it prints its end marker', prompt: 'it waits at its prompt' }[
    turnEnds(config).by
  ];
  return config.spawn_policy === 'persistent'
    ? `one process for all runs, one after the other; a turn ends when ${ends}`
    : `a process per run; a turn ends with it, or when ${ends}`;
}

function liveOf(id: string, name: string, config: CliConfig): StdioLive {
  const ends = turnEnds(config);
  const ownProcess = config.spawn_policy === 'per-session';
  // If only silence would end a turn, the end of its input makes it exit, however long it thinks before.
  const exitEnds = ownProcess && ends.by === 'silence';
  const base = {
    transport: 'stdio',
    codec: textCodec(name, ends, exitEnds),
    waitForSession: false,
    framing: 'text',
  } as const;
  if (ownProcess) return { ...base, eofAfterPrompt: exitEnds };
  return {
    ...base,
    share: {
      key: (options) => processKey(id, options),
      // Plain text does not say which request it answers.
      exclusive: true,
      mayReplyLater: (state: CliState) => state.severalLines,
      channelOf: (state: CliState) => state.channel,
      route: () => undefined,
    },
  };
}

/** One of the three; the schema rejects combinations. */
function turnEnds({ silence, end_marker, prompt_pattern }: CliConfig): TurnEnds {
  if (end_marker !== undefined) return { by: 'marker', marker: end_marker };
  const pattern = prompt_pattern === undefined ? undefined : linePattern(prompt_pattern);
  return pattern ? { by: 'prompt', pattern } : { by: 'silence', afterMs: silence ?? DEFAULT_SILENCE_MS };
}

export const cliProfile: DefinitionProfile<CliConfig> = {
  profile: 'generic-cli',
  key: 'cli',
  schema: CliConfigSchema,
  create: defineCliAgent,
};
