import type { Command, Flag, FlagTable } from './command.ts';
import { COMMANDS, TOPICS } from './command-table.ts';
import { EXIT_MEANINGS } from './exit-codes.ts';
import { flagsOf } from './parse-flags.ts';
import { paint } from './screen/paint.ts';

const INDENT = '  ';
/** Flags up to this width keep their explanation on the same line. */
const FLAG_COLUMN = 30;

export function generalHelp(): string {
  const { bold, dim } = paint(process.stdout);
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  return [
    `${bold('amux')} runs any coding agent through one contract.`,
    '',
    `${bold('Usage:')} amux <command> [flags]`,
    ...TOPICS.flatMap((topic) => ['', bold(topic), ...topicLines(topic, width)]),
    '',
    bold('Try'),
    `${INDENT}amux demo                              ${dim('a run from start to end, right now')}`,
    `${INDENT}amux agents                            ${dim('what is installed here')}`,
    `${INDENT}amux run -a claude "explain this repo" ${dim('the real thing')}`,
    '',
    bold('Exit codes'),
    ...EXIT_MEANINGS.map(([code, meaning]) => `${INDENT}${String(code).padStart(2)}  ${meaning}`),
    '',
    `amux <command> --help says more of each. --json makes every command readable for programs.`,
    'Colour: only on a terminal; NO_COLOR=1 and FORCE_COLOR=1 are honoured.',
  ].join('\n');
}

function topicLines(topic: (typeof TOPICS)[number], width: number): string[] {
  return Object.entries(COMMANDS)
    .filter(([, entry]) => entry.topic === topic)
    .map(([name, { summary }]) => `${INDENT}${name.padEnd(width)}  ${summary}`);
}

export function commandHelp(command: Command): string {
  const { bold, dim } = paint(process.stdout);
  const examples = command.examples.flatMap(({ command: line, about }) => [
    `${INDENT}${dim(`# ${about}`)}`,
    `${INDENT}${line}`,
  ]);
  return [
    command.about,
    '',
    `${bold('Usage:')} ${command.usage}`,
    ...actionLines(command, bold, dim),
    ...flagLines(flagsOf(command), bold),
    ...(examples.length > 0 ? ['', bold('Examples'), ...examples] : []),
    ...(command.notes?.length ? ['', ...command.notes] : []),
  ].join('\n');
}

function actionLines({ actions, usage }: Command, bold: Style, dim: Style): string[] {
  if (!actions) return [];
  const name = usage.split(' ')[1] ?? '';
  const lines = Object.entries(actions).flatMap(([action, { usage: words, about }]) => [
    `${INDENT}amux ${name} ${action}${words ? ` ${words}` : ''}`,
    `${INDENT}${INDENT}${dim(about)}`,
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

function flagLine([name, flag]: [string, Flag]): string[] {
  const short = flag.short ? `-${flag.short}, ` : '    ';
  const left = `${INDENT}${short}--${name}${flag.value ? ` ${flag.value}` : ''}`;
  if (left.length < FLAG_COLUMN) return [`${left.padEnd(FLAG_COLUMN)}${flag.help}`];
  return [left, `${' '.repeat(FLAG_COLUMN)}${flag.help}`];
}
