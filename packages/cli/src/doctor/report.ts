import type { Finding } from '@agent-mux/core';
import { type Paint, paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { widthOf } from '../screen/width.ts';
import { outputWidth, wrapWholeWords } from '../screen/wrap.ts';

type Level = Finding['level'];

const MARKS: Readonly<Record<Level, { mark: string; colour: keyof Paint }>> = {
  ok: { mark: '✓', colour: 'green' },
  info: { mark: 'i', colour: 'cyan' },
  warning: { mark: '!', colour: 'yellow' },
  error: { mark: '✗', colour: 'red' },
};
/** Before the name of the check. */
const INDENT = 4;
const CHECK_COLUMN = 10;

export function countsOf(findings: readonly Finding[]): Record<Level, number> {
  const counts = { ok: 0, info: 0, warning: 0, error: 0 };
  for (const { level } of findings) counts[level] += 1;
  return counts;
}

/** What is here, agent by agent; those that are not are one line. */
export function report(findings: readonly Finding[], nameOf: NameOf): string {
  const groups = Map.groupBy(findings, ({ agent }) => agent);
  const parts = [...groups.values()].map((found) => groupText(found, nameOf)).filter((text) => text !== '');
  return [...parts, closingText(findings)].join('\n\n');
}

export type NameOf = (agent: string) => string;

const isAbsent = ({ check, level }: Finding) => check === 'binary' && level === 'info';

/** What was found of one agent, or of agent-mux itself; nothing of an agent that is not here. */
export function groupText(found: readonly Finding[], nameOf: NameOf): string {
  const shown = found.filter((finding) => !isAbsent(finding));
  const [first] = shown;
  if (!first) return '';
  return [...titleOf(first.agent, nameOf), ...shown.flatMap(lines)].join('\n');
}

function titleOf(agent: string | null, nameOf: NameOf): string[] {
  const { bold, dim } = paint(process.stdout);
  if (agent === null) return [bold('agent-mux')];
  const [name, id] = [nameOf(agent), `(${agent})`];
  return widthOf(`${name} ${id}`) <= outputWidth() ? [`${bold(name)} ${dim(id)}`] : [bold(name), dim(id)];
}

/** Which agents are not here, and what it comes to. */
export function closingText(findings: readonly Finding[]): string {
  const { bold, dim, green } = paint(process.stdout);
  const absent = findings.filter(isAbsent).flatMap(({ agent }) => agent ?? []);
  const notHere = absent.length > 0 ? [`not installed: ${absent.join(', ')}`, 'amux install AGENT puts one here'] : [];
  const parts =
    notHere.length > 0 ? [notHere.flatMap((text) => wrapWholeWords(text, outputWidth()).map(dim)).join('\n')] : [];
  const { error, warning } = countsOf(findings);
  const wrong = [count(error, 'error'), count(warning, 'warning')].filter(Boolean).join(', ');
  return [...parts, wrong === '' ? green('nothing is wrong') : bold(wrong)].join('\n\n');
}

/** The message in words that are not torn apart; a remedy may be a command, which is copied as a whole. */
function lines({ level, check, message, remedy }: Finding): string[] {
  const painted = paint(process.stdout);
  const { mark, colour } = MARKS[level];
  const indent = ' '.repeat(INDENT + CHECK_COLUMN + 1);
  const [first = '', ...rest] = wrapWholeWords(toOneLine(message, 1000), Math.max(20, outputWidth() - indent.length));
  return [
    `  ${painted[colour](mark)} ${painted.dim(check.padEnd(CHECK_COLUMN))} ${first}`,
    ...rest.map((line) => `${indent}${line}`),
    ...(remedy ? [`${indent}${painted.dim('→')} ${toOneLine(remedy, 1000)}`] : []),
  ];
}

function count(number: number, word: string): string {
  return number === 0 ? '' : `${number} ${word}${number === 1 ? '' : 's'}`;
}
