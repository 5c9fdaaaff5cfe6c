import type { Command, Flag, FlagTable } from './command.ts';
import { COMMAND_GROUPS, COMMANDS } from './command-table.ts';
import { EXIT_CODE_HELP } from './exit-codes.ts';
import { flagsOf } from './parse-flags.ts';
import { paint } from './screen/paint.ts';
import { outputWidth, wordWrap } from './screen/wrap.ts';

const INDENT = '  ';
/** Flags up to this width have their help on the same line. */
const FLAG_COLUMN = 30;
/** On narrower terminals, help text is printed below the name. */
const NARROW = 60;

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['amux demo', 'Watch a complete run'],
  ['amux agents', 'See what is installed'],
  ['amux run -a claude "explain this repo"', 'Run an agent'],
];

export function generalHelp(): string {
  const { bold, dim } = paint(process.stdout);
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const exampleWidth = Math.max(...EXAMPLES.map(([line]) => line.length));
  return [
    ...prose('amux runs any coding agent through one interface.').map((line) => line.replace(/^amux/, bold)),
    '',
    `${bold('Usage:')} amux <command> [flags]`,
    ...COMMAND_GROUPS.flatMap((group) => ['', bold(group), ...groupLines(group, width)]),
    '',
    bold('Examples'),
    ...EXAMPLES.flatMap(([line, about]) => explain(line, about, exampleWidth, dim)),
    '',
    bold('Exit codes'),
    ...EXIT_CODE_HELP.flatMap(([code, meaning]) => indentHanging(String(code).padStart(2), meaning, 2)),
    '',
    ...prose('Use "amux <command> --help" for details. Every command supports --json.'),
    ...prose('Colors are used on terminals only; NO_COLOR and FORCE_COLOR are respected.'),
  ].join('\n');
}

function groupLines(group: (typeof COMMAND_GROUPS)[number], width: number): string[] {
  return Object.entries(COMMANDS)
    .filter(([, entry]) => entry.group === group)
    .flatMap(([name, { summary }]) => explain(name, summary, width));
}

/** A name with its explanation: next to each other, or below on a narrow terminal. */
function explain(name: string, about: string, width: number, style: Style = (text) => text): string[] {
  if (outputWidth() >= NARROW) return indentHanging(name, about, width, style);
  const lines = wordWrap(about, outputWidth() - 2 * INDENT.length);
  return [`${INDENT}${name}`, ...lines.map((line) => `${INDENT}${INDENT}${style(line)}`)];
}

function indentHanging(name: string, about: string, width: number, style: Style = (text) => text): string[] {
  const indent = ' '.repeat(INDENT.length + width + 2);
  const [first = '', ...rest] = wordWrap(about, Math.max(20, outputWidth() - indent.length));
  return [`${INDENT}${name.padEnd(width)}  ${style(first)}`, ...rest.map((line) => `${indent}${style(line)}`)];
}

/** Keeps the line breaks if the terminal is wide enough; rewraps otherwise. */
function prose(text: string): string[] {
  const lines = text.split('\n');
  return lines.every((line) => line.length <= outputWidth()) ? lines : wordWrap(lines.join(' '), outputWidth());
}

export function commandHelp(command: Command): string {
  const { bold, dim } = paint(process.stdout);
  const examples = command.examples.flatMap(({ command: line, about }) => [
    ...wordWrap(about, outputWidth() - 2 * INDENT.length).map((part) => `${INDENT}${dim(`# ${part}`)}`),
    `${INDENT}${line}`,
  ]);
  return [
    ...prose(command.description),
    '',
    ...usageLines(command.usage, bold),
    ...subcommandLines(command, bold, dim),
    ...flagLines(flagsOf(command), bold),
    ...(examples.length > 0 ? ['', bold('Examples'), ...examples] : []),
    ...(command.notes?.length ? ['', ...prose(command.notes.join('\n'))] : []),
  ].join('\n');
}

function subcommandLines({ actions, usage }: Command, bold: Style, dim: Style): string[] {
  if (!actions) return [];
  const name = usage.split(' ')[1] ?? '';
  const lines = Object.entries(actions).flatMap(([action, { usage: args, about }]) => [
    ...wordWrap(`amux ${name} ${action}${args ? ` ${args}` : ''}`, outputWidth() - 3 * INDENT.length).map(
      (part, at) => `${INDENT}${at > 0 ? INDENT.repeat(2) : ''}${part}`,
    ),
    ...wordWrap(about, outputWidth() - 2 * INDENT.length).map((part) => `${INDENT}${INDENT}${dim(part)}`),
  ]);
  return ['', bold('Commands'), ...lines];
}

type Style = (text: string) => string;

function flagLines(table: FlagTable, bold: (text: string) => string): string[] {
  const groups = new Map<string, [string, Flag][]>();
  for (const [name, flag] of Object.entries(table)) {
    const group = flag.group ?? 'Flags';
    groups.set(group, [...(groups.get(group) ?? []), [name, flag]]);
  }
  return [...groups].flatMap(([group, flags]) => ['', bold(group), ...flags.flatMap(flagLine)]);
}

function usageLines(usage: string, bold: Style): string[] {
  const title = 'Usage:';
  const [first = '', ...rest] = wordWrap(usage, outputWidth() - title.length - 1);
  return [`${bold(title)} ${first}`, ...rest.map((line) => `${INDENT}${INDENT}${line}`)];
}

function flagLine([name, flag]: [string, Flag]): string[] {
  const short = flag.short ? `-${flag.short}, ` : '    ';
  const left = `${INDENT}${short}--${name}${flag.value ? ` ${flag.value}` : ''}`;
  const column = outputWidth() < NARROW ? 5 * INDENT.length : FLAG_COLUMN;
  const lines = wordWrap(flag.help, Math.max(20, outputWidth() - column)).map((line) => `${' '.repeat(column)}${line}`);
  if (left.length >= column) return [left, ...lines];
  const [first = '', ...rest] = lines;
  return [`${left.padEnd(column)}${first.trimStart()}`, ...rest];
}
