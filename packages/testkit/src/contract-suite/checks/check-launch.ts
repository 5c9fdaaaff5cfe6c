import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { isAbsolute } from 'node:path';
import {
  type AgentMode,
  AgentMuxError,
  CapabilityError,
  type ResolvedRunOptions,
  type SpawnArgs,
} from '@agent-mux/core';
import { z } from 'zod';
import { aboutTopic, type ContractCheck } from '../check.ts';
import { deepFreeze } from '../deep-freeze.ts';
import { type LaunchPlan, launch } from '../launch.ts';
import { APPROVAL_CASES, OPTION_CASES } from '../option-cases.ts';
import { contentsOf, inSandbox, type Sandbox } from '../sandbox.ts';
import { optionsFor, type Subject } from '../subject.ts';

const SpawnArgsSchema = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string().refine((arg) => !arg.includes('\0'), 'a NUL ends an argument')),
  env: z.record(z.string().regex(/^[^=\0]+$/), z.string()),
  cwd: z.string().refine(isAbsolute, 'must be absolute'),
  usePty: z.boolean(),
  terminal: z.strictObject({ cols: z.int().positive(), rows: z.int().positive() }).optional(),
  stdin: z.string().optional(),
  timeout: z.number().nonnegative().optional(),
  inactivityTimeout: z.number().nonnegative().optional(),
  shell: z.boolean().optional(),
  files: z.record(z.string(), z.string()).optional(),
  links: z.record(z.string(), z.string().refine(isAbsolute, 'must be absolute')).optional(),
}) satisfies z.ZodType<SpawnArgs>;

/** Maximum size of an argument, a little below the system's limit. */
const MAX_ARGUMENT_BYTES = 100_000;
/** Arguments, helper files and handshake together, with a short prompt. */
const MAX_LAUNCH = 1_000_000;
const SECRET = 'contract-secret-8215';

export function launchChecks(subject: Subject): ContractCheck[] {
  return subject.modes.flatMap((mode) =>
    aboutTopic(`the launch in mode "${mode.name}"`, (show) => {
      show('is not larger than its options require', () =>
        everyLaunch(subject, mode, (name, { spawn, said }) => {
          const size = JSON.stringify([spawn, said]).length;
          ok(size < MAX_LAUNCH, `${name}: the launch has ${size} characters`);
        }),
      );
      show('is complete for all options', () =>
        everyLaunch(subject, mode, (name, { spawn }) => {
          const parsed = SpawnArgsSchema.safeParse(spawn);
          ok(parsed.success, `${name}: ${parsed.error && z.prettifyError(parsed.error)}`);
          strictEqual(spawn.usePty, mode.capabilities.requiresPty, `${name}: usePty is not what requiresPty says`);
        }),
      );
      show('is the same for the same options', () =>
        everyLaunch(subject, mode, (name, first, options) => {
          deepStrictEqual(launch(subject, mode, options), first, `${name}: another launch the second time`);
        }),
      );
      show('does not change its options', () => everyLaunch(subject, mode, () => {}, deepFreeze));
      show('writes no file', () =>
        inSandbox(async (place) => {
          const before = contentsOf(place);
          for (const options of allOptions(subject, mode, place)) launchOrRefuse(subject, mode, options.resolved);
          deepStrictEqual(contentsOf(place), before, 'files are written by the engine, from SpawnArgs.files');
        }),
      );
      show('keeps its helper files below the scratch folder', () =>
        everyLaunch(subject, mode, (name, { spawn }) => {
          for (const file of Object.keys({ ...spawn.files, ...spawn.links })) {
            const escapes = isAbsolute(file) || file.split(/[/\\]/).includes('..') || file === '';
            ok(!escapes, `${name}: "${file}" is not a path below the scratch folder`);
          }
        }),
      );
      show('passes the prompt to the agent', () =>
        inSandbox((place) => {
          const prompt = 'the prompt of the contract';
          const { spawn, said } = launch(subject, mode, optionsFor(subject, mode, place, { prompt }));
          ok(JSON.stringify([spawn, said]).includes(prompt), 'the prompt is nowhere in what is launched or said');
        }),
      );
      show('passes no prompt that could be taken for an option', () =>
        inSandbox((place) => {
          const { spawn } = launch(subject, mode, optionsFor(subject, mode, place, { prompt: '--help' }));
          const end = spawn.args.indexOf('--');
          const open = end === -1 ? spawn.args : spawn.args.slice(0, end);
          ok(!open.includes('--help'), `"--help" is a bare argument: ${spawn.args.join(' ')}`);
        }),
      );
      show('puts no long prompt into an argument', () => longPromptStaysOut(subject, mode));
      show('puts no value of env into an argument', () =>
        inSandbox((place) => {
          const env = { CONTRACT_API_KEY: SECRET };
          const { spawn } = launch(subject, mode, optionsFor(subject, mode, place, { env }));
          const shown = [spawn.command, ...spawn.args].filter((arg) => arg.includes(SECRET));
          deepStrictEqual(shown, [], 'every user of the machine can read the arguments of a process');
        }),
      );
    }),
  );
}

async function longPromptStaysOut(subject: Subject, mode: AgentMode): Promise<void> {
  await inSandbox((place) => {
    const prompt = `${'a long prompt '.repeat(75_000)}its end`;
    let built: LaunchPlan;
    try {
      built = launch(subject, mode, optionsFor(subject, mode, place, { prompt }));
    } catch (error) {
      // If a CLI accepts its prompt only as an argument, a guard reports it.
      if (error instanceof AgentMuxError) return;
      throw error;
    }
    const { spawn, said } = built;
    const longest = Math.max(0, ...spawn.args.map((arg) => Buffer.byteLength(arg)));
    ok(longest < MAX_ARGUMENT_BYTES, `an argument has ${longest} bytes; the system refuses such a process`);
    ok(JSON.stringify([spawn, said]).includes('a long prompt its end'), 'the end of the prompt is lost');
  });
}

export interface NamedOptions {
  name: string;
  resolved: ResolvedRunOptions;
  mayBeRefused: boolean;
}

/** A run without options, and one with each declared option. */
export function allOptions(subject: Subject, mode: AgentMode, place: Sandbox): NamedOptions[] {
  const cases = [...OPTION_CASES, ...APPROVAL_CASES].filter(
    ({ declared, byEngine }) => declared(mode.capabilities) && !byEngine?.(mode.capabilities),
  );
  return [
    { name: 'without options', resolved: optionsFor(subject, mode, place), mayBeRefused: false },
    ...cases.map(({ name, options, mayBeRefused = false }) => ({
      name: `with ${name}`,
      resolved: optionsFor(subject, mode, place, options(place, subject)),
      mayBeRefused,
    })),
  ];
}

async function everyLaunch(
  subject: Subject,
  mode: AgentMode,
  look: (name: string, launched: LaunchPlan, options: ResolvedRunOptions) => void,
  prepare: (options: ResolvedRunOptions) => ResolvedRunOptions = (options) => options,
): Promise<void> {
  await inSandbox((place) => {
    for (const { name, resolved, mayBeRefused } of allOptions(subject, mode, place)) {
      const options = prepare(resolved);
      try {
        look(name, launch(subject, mode, options), options);
      } catch (error) {
        if (!(mayBeRefused && error instanceof CapabilityError)) throw error;
      }
    }
  });
}

function launchOrRefuse(subject: Subject, mode: AgentMode, options: ResolvedRunOptions): void {
  try {
    launch(subject, mode, options);
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error;
  }
}
