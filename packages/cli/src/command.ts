import type { ActionTable } from './actions.ts';

/** One flag of a command: what parses it and what `--help` says of it. */
export interface Flag {
  type: 'boolean' | 'string';
  short?: string;
  multiple?: boolean;
  /** What stands for the value in `--help`. */
  value?: string;
  help: string;
  /** All that it may be, for completion. */
  values?: readonly string[];
  /** The heading under which `--help` lists it. */
  group?: string;
}

export type FlagTable = Readonly<Record<string, Flag>>;

/** What was given: only flags of the command's table, each in the form that the table says. */
export interface Given {
  flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  words: readonly string[];
}

interface Example {
  command: string;
  about: string;
}

export interface Command {
  usage: string;
  about: string;
  flags: FlagTable;
  examples: readonly Example[];
  /** Said at the end of `--help`. */
  notes?: readonly string[];
  /** Where the first word chooses: `commandOfActions` makes such a command. */
  actions?: ActionTable;
  /** At most so many words after the flags. */
  maxWords: number;
  /** Returns the exit code. What it throws is reported by the caller. */
  run(given: Given): Promise<number>;
}

/** Flags of every command that knows agents. */
export const JSON_FLAG: Flag = { type: 'boolean', help: 'Print JSON for programs.' };
export const TRUST_FLAG: Flag = {
  type: 'boolean',
  help: "Also use the agents that the project's .agent-mux/config.json defines (or AMUX_TRUST_PROJECT=1).",
};

export function textFlag(given: Given, name: string): string | undefined {
  const value = given.flags[name];
  return typeof value === 'string' ? value : undefined;
}

export function listFlag(given: Given, name: string): readonly string[] {
  const value = given.flags[name];
  return Array.isArray(value) ? value : [];
}

export function isOn(given: Given, name: string): boolean {
  return given.flags[name] === true;
}
