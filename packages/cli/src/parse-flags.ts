import { parseArgs } from 'node:util';
import type { Command, FlagTable, Given } from './command.ts';
import { UsageError } from './usage-error.ts';

const COMMON: FlagTable = { help: { type: 'boolean', short: 'h', help: 'Show this help.' } };

/** Every flag that a command understands. */
export function flagsOf(command: Command): FlagTable {
  return { ...command.flags, ...COMMON };
}

/** Reads a command line by the command's table. Everything behind `--` is a word, whatever it begins with. */
export async function parseFlags(name: string, command: Command, args: readonly string[]): Promise<Given> {
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
    if (!flag) throw await refuseUnknownFlag(name, token.rawName, table, command);
    if (flag.type === 'boolean') {
      if (token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`);
      continue;
    }
    const missing = token.value === undefined || token.value === '';
    if (missing) throw new UsageError(`${token.rawName} needs a value`, `amux ${name} --help says which`);
    if (!token.inlineValue && /^-./.test(token.value ?? '')) {
      throw new UsageError(
        `${token.rawName} needs a value, and "${token.value}" looks like a flag`,
        `if it is the value, write ${longName(token.name)}=${token.value}`,
      );
    }
  }
  const given: Given = { flags: keepKnown(values), words: positionals };
  if (given.flags.help !== true && positionals.length > command.maxWords) {
    const extra = positionals.slice(command.maxWords).join(' ');
    throw new UsageError(`amux ${name} does not understand "${extra}"`, `usage: ${command.usage}`);
  }
  return given;
}

function keepKnown(values: Record<string, unknown>): Given['flags'] {
  const flags: Record<string, string | boolean | readonly string[]> = {};
  for (const [name, value] of Object.entries(values)) {
    if (typeof value === 'string' || typeof value === 'boolean') flags[name] = value;
    else if (Array.isArray(value)) flags[name] = value.map(String);
  }
  return flags;
}

async function refuseUnknownFlag(name: string, raw: string, table: FlagTable, command: Command): Promise<UsageError> {
  const { findNearNames } = await import('@agent-mux/core/light');
  const near = findNearNames(raw.replace(/^-+/, ''), Object.keys(table)).map(longName);
  const words = command.maxWords > 1 ? '; words that begin with - go after --' : '';
  const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `amux ${name} --help lists the flags${words}`;
  return new UsageError(`unknown flag ${raw}`, hint);
}

function longName(flag: string): string {
  return `--${flag}`;
}
