import { parseArgs } from 'node:util';
import type { Command, FlagTable, ParsedArgs } from './command.ts';
import { UsageError } from './usage-error.ts';

const COMMON: FlagTable = { help: { type: 'boolean', short: 'h', help: 'Show this help' } };

/** Every flag of a command, including the common ones. */
export function flagsOf(command: Command): FlagTable {
  return { ...command.flags, ...COMMON };
}

/** Parses a command line with the command's flag table. Everything after `--` is positional. */
export async function parseFlags(name: string, command: Command, args: readonly string[]): Promise<ParsedArgs> {
  const table = flagsOf(command);
  const { values, positionals, tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(table).map(([flag, { type, short, multiple }]) => [
        flag,
        { type, ...(short ? { short } : {}), ...(multiple ? { multiple } : {}) },
      ]),
    ),
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const flag = table[token.name];
    if (!flag) throw await unknownFlag(name, token.rawName, table, command);
    if (flag.type === 'boolean') {
      if (token.value !== undefined) throw new UsageError(`${token.rawName} does not take a value`);
      continue;
    }
    const missing = token.value === undefined || token.value === '';
    if (missing) throw new UsageError(`${token.rawName} requires a value`, `see "amux ${name} --help"`);
    if (!token.inlineValue && /^-./.test(token.value ?? '')) {
      throw new UsageError(
        `${token.rawName} requires a value, but "${token.value}" looks like a flag`,
        `to pass it as the value, use ${longName(token.name)}=${token.value}`,
      );
    }
  }
  const parsed: ParsedArgs = { flags: definedFlags(values), positionals };
  if (parsed.flags.help !== true && positionals.length > command.maxArgs) {
    const extra = positionals.slice(command.maxArgs).join(' ');
    throw new UsageError(`amux ${name}: unexpected argument "${extra}"`, `usage: ${command.usage}`);
  }
  return parsed;
}

function definedFlags(values: Record<string, unknown>): ParsedArgs['flags'] {
  const flags: Record<string, string | boolean | readonly string[]> = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' || typeof value === 'boolean') flags[name] = value;
    else if (Array.isArray(value)) flags[name] = value.map(String);
  }
  return flags;
}

async function unknownFlag(name: string, raw: string, table: FlagTable, command: Command): Promise<UsageError> {
  const { suggestNames } = await import('@agent-mux/core/light');
  const near = suggestNames(raw.replace(/^-+/, ''), Object.keys(table)).map(longName);
  const dashes = command.maxArgs > 1 ? '; put arguments that start with - after --' : '';
  const hint =
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : `run "amux ${name} --help" to list flags${dashes}`;
  return new UsageError(`unknown flag ${raw}`, hint);
}

function longName(flag: string): string {
  return `--${flag}`;
}
