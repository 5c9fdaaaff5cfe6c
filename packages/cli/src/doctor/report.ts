import type { Finding } from '@agent-mux/core';
import { type Paint, paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { widthOf } from '../screen/width.ts';
import { outputWidth, wordWrap } from '../screen/wrap.ts';

type Level = Finding['level'];

const MARKS: Readonly<Record<Level, { mark: string; color: keyof Paint }>> = {
  ok: { mark: '✓', color: 'green' },
  info: { mark: 'i', color: 'cyan' },
  warning: { mark: '!', color: 'yellow' },
  error: { mark: '✗', color: 'red' },
};
/** Indentation of the check name. */
const INDENT = 4;
const CHECK_COLUMN = 10;

export function countsOf(findings: readonly Finding[]): Record<Level, number> {
  const counts = { ok: 0, info: 0, warning: 0, error: 0 };
  for (const { level } of findings) counts[level] += 1;
  return counts;
}

/** Findings of installed agents; missing agents are one line. */
export function report(findings: readonly Finding[], nameOf: NameOf): string {
  const groups = Map.groupBy(findings, ({ agent }) => agent);
  const parts = [...groups.values()].map((found) => groupText(found, nameOf)).filter((text) => text !== '');
  return [...parts, closingText(findings)].join('\n\n');
}

export type NameOf = (agent: string) => string;

const isAbsent = ({ check, level }: Finding) => check === 'binary' && level === 'info';

/** Findings of one agent or of agent-mux; empty for an agent that is not installed. */
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

/** Missing agents and the overall result. */
export function closingText(findings: readonly Finding[]): string {
  const { bold, dim, green } = paint(process.stdout);
  const absent = findings.filter(isAbsent).flatMap(({ agent }) => agent ?? []);
  const missing =
    absent.length > 0 ? [`not installed: ${absent.join(', ')}`, 'run "amux install AGENT" to install one'] : [];
  const parts =
    missing.length > 0 ? [missing.flatMap((text) => wordWrap(text, outputWidth()).map(dim)).join('\n')] : [];
  const { error, warning } = countsOf(findings);
  const wrong = [count(error, 'error'), count(warning, 'warning')].filter(Boolean).join(', ');
  return [...parts, wrong === '' ? green('no problems found') : bold(wrong)].join('\n\n');
}

/** Wraps the message; a hint stays on one line, as it may contain a command to copy. */
function lines({ level, check, message, hint }: Finding): string[] {
  const painted = paint(process.stdout);
  const { mark, color } = MARKS[level];
  const indent = ' '.repeat(INDENT + CHECK_COLUMN + 1);
  const [first = '', ...rest] = wordWrap(toOneLine(message, 1000), Math.max(20, outputWidth() - indent.length));
  return [
    `  ${painted[color](mark)} ${painted.dim(check.padEnd(CHECK_COLUMN))} ${first}`,
    ...rest.map((line) => `${indent}${line}`),
    ...(hint ? [`${indent}${painted.dim('→')} ${toOneLine(hint, 1000)}`] : []),
  ];
}

function count(number: number, word: string): string {
  return number === 0 ? '' : `${number} ${word}${number === 1 ? '' : 's'}`;
}
