import type { SubcommandTable } from './subcommands.ts';

/** One flag of a command: how to parse it and its help text. */
export interface Flag {
  type: 'boolean' | 'string';
  short?: string;
  multiple?: boolean;
  /** Placeholder of the value in `--help`. */
  value?: string;
  help: string;
  /** Allowed values, for completion. */
  values?: readonly string[];
  /** Heading under which `--help` lists the flag. */
  group?: string;
}

export type FlagTable = Readonly<Record<string, Flag>>;

/** Parsed command line: only flags from the command's table, each with the type given there. */
export interface ParsedArgs {
  flags: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  positionals: readonly string[];
}

interface Example {
  command: string;
  about: string;
}

export interface Command {
  usage: string;
  description: string;
  flags: FlagTable;
  examples: readonly Example[];
  /** Printed at the end of `--help`. */
  notes?: readonly string[];
  /** Subcommands chosen by the first argument; see `defineSubcommands`. */
  actions?: SubcommandTable;
  /** Maximum number of positional arguments. */
  maxArgs: number;
  /** Returns the exit code. The caller reports errors it throws. */
  run(args: ParsedArgs): Promise<number>;
}

/** Flags shared by most commands. */
export const JSON_FLAG: Flag = { type: 'boolean', help: 'Print JSON' };
export const TRUST_FLAG: Flag = {
  type: 'boolean',
  help: 'Trust the project configuration file (or AMUX_TRUST_PROJECT=1)',
};

export function stringFlag(args: ParsedArgs, name: string): string | undefined {
  const value = args.flags[name];
  return typeof value === 'string' ? value : undefined;
}

export function listFlag(args: ParsedArgs, name: string): readonly string[] {
  const value = args.flags[name];
  return Array.isArray(value) ? value : [];
}

export function hasFlag(args: ParsedArgs, name: string): boolean {
  return args.flags[name] === true;
}
