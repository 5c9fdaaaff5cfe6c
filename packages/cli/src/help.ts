import type { Command, Flag, FlagTable } from './command.ts';
import { COMMANDS, TOPICS } from './command-table.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import { flagsOf } from './parse-flags.ts';
import { paint } from './screen/paint.ts';
import { outputWidth, wrapWholeWords } from './screen/wrap.ts';

const INDENT = '  ';
/** Flags up to this width keep their explanation on the same line. */
const FLAG_COLUMN = 30;
/** On a terminal that is narrower, every explanation stands below what it explains. */
const NARROW = 60;

const TRY: readonly (readonly [string, string])[] = [
  ['amux demo', 'a run from start to end, right now'],
  ['amux agents', 'what is installed here'],
  ['amux run -a claude "explain this repo"', 'the real thing'],
];

export function generalHelp(): string {
  const { bold, dim } = paint(process.stdout);
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const tryWidth = Math.max(...TRY.map(([line]) => line.length));
  return [
    ...prose('amux runs any coding agent through one contract.').map((line) => line.replace(/^amux/, bold)),
    '',
    `${bold('Usage:')} amux <command> [flags]`,
    ...TOPICS.flatMap((topic) => ['', bold(topic), ...topicLines(topic, width)]),
    '',
    bold('Try'),
    ...TRY.flatMap(([line, about]) => explain(line, about, tryWidth, dim)),
    '',
    bold('Exit codes'),
    ...EXIT_MEANINGS.flatMap(([code, meaning]) => indentHanging(String(code).padStart(2), meaning, 2)),
    '',
    ...prose('amux <command> --help says more of each. --json makes every command readable for programs.'),
    ...prose('Colour: only on a terminal; NO_COLOR=1 and FORCE_COLOR=1 are honoured.'),
  ].join('\n');
}

function topicLines(topic: (typeof TOPICS)[number], width: number): string[] {
  return Object.entries(COMMANDS)
    .filter(([, entry]) => entry.topic === topic)
    .flatMap(([name, { summary }]) => explain(name, summary, width));
}

/** A name and what it is: beside each other, or below on a narrow terminal. */
function explain(name: string, about: string, width: number, style: Style = (text) => text): string[] {
  if (outputWidth() >= NARROW) return indentHanging(name, about, width, style);
  const lines = wrapWholeWords(about, outputWidth() - 2 * INDENT.length);
  return [`${INDENT}${name}`, ...lines.map((line) => `${INDENT}${INDENT}${style(line)}`)];
}

function indentHanging(name: string, about: string, width: number, style: Style = (text) => text): string[] {
  const indent = ' '.repeat(INDENT.length + width + 2);
  const [first = '', ...rest] = wrapWholeWords(about, Math.max(20, outputWidth() - indent.length));
  return [`${INDENT}${name.padEnd(width)}  ${style(first)}`, ...rest.map((line) => `${indent}${style(line)}`)];
}

/** Sentences as wide as the terminal; as they were written where that is wide enough. */
function prose(text: string): string[] {
  const lines = text.split('\n');
  return lines.every((line) => line.length <= outputWidth()) ? lines : wrapWholeWords(lines.join(' '), outputWidth());
}

export function commandHelp(command: Command): string {
  const { bold, dim } = paint(process.stdout);
  const examples = command.examples.flatMap(({ command: line, about }) => [
    ...wrapWholeWords(about, outputWidth() - 2 * INDENT.length).map((part) => `${INDENT}${dim(`# ${part}`)}`),
    `${INDENT}${line}`,
  ]);
  return [
    ...prose(command.about),
    '',
    ...usageLines(command.usage, bold),
    ...actionLines(command, bold, dim),
    ...flagLines(flagsOf(command), bold),
    ...(examples.length > 0 ? ['', bold('Examples'), ...examples] : []),
    ...(command.notes?.length ? ['', ...prose(command.notes.join('\n'))] : []),
  ].join('\n');
}

function actionLines({ actions, usage }: Command, bold: Style, dim: Style): string[] {
  if (!actions) return [];
  const name = usage.split(' ')[1] ?? '';
  const lines = Object.entries(actions).flatMap(([action, { usage: words, about }]) => [
    ...wrapWholeWords(`amux ${name} ${action}${words ? ` ${words}` : ''}`, outputWidth() - 3 * INDENT.length).map(
      (part, at) => `${INDENT}${at > 0 ? INDENT.repeat(2) : ''}${part}`,
    ),
    ...wrapWholeWords(about, outputWidth() - 2 * INDENT.length).map((part) => `${INDENT}${INDENT}${dim(part)}`),
  ]);
  return ['', bold('Actions'), ...lines];
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
  const [first = '', ...rest] = wrapWholeWords(usage, outputWidth() - title.length - 1);
  return [`${bold(title)} ${first}`, ...rest.map((line) => `${INDENT}${INDENT}${line}`)];
}

function flagLine([name, flag]: [string, Flag]): string[] {
  const short = flag.short ? `-${flag.short}, ` : '    ';
  const left = `${INDENT}${short}--${name}${flag.value ? ` ${flag.value}` : ''}`;
  const column = outputWidth() < NARROW ? 5 * INDENT.length : FLAG_COLUMN;
  const lines = wrapWholeWords(flag.help, Math.max(20, outputWidth() - column)).map(
    (line) => `${' '.repeat(column)}${line}`,
  );
  if (left.length >= column) return [left, ...lines];
  const [first = '', ...rest] = lines;
  return [`${left.padEnd(column)}${first.trimStart()}`, ...rest];
}
