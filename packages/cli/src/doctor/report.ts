import type { Finding } from '@agent-mux/core';
import { type Paint, paint } from '../screen/paint.ts';
import { oneLine } from '../screen/plain.ts';

type Level = Finding['level'];

const MARKS: Readonly<Record<Level, { mark: string; colour: keyof Paint }>> = {
  ok: { mark: '✓', colour: 'green' },
  info: { mark: 'i', colour: 'cyan' },
  warning: { mark: '!', colour: 'yellow' },
  error: { mark: '✗', colour: 'red' },
};
const CHECK_COLUMN = 10;

export function countsOf(findings: readonly Finding[]): Record<Level, number> {
  const counts = { ok: 0, info: 0, warning: 0, error: 0 };
  for (const { level } of findings) counts[level] += 1;
  return counts;
}

/** What is here, agent by agent; those that are not are one line. */
export function report(findings: readonly Finding[], nameOf: (agent: string) => string): string {
  const { bold, dim, green } = paint(process.stdout);
  const isAbsent = ({ check, level }: Finding) => check === 'binary' && level === 'info';
  const absent = findings.filter(isAbsent).flatMap(({ agent }) => agent ?? []);
  const shown = findings.filter((finding) => !isAbsent(finding));
  const groups = Map.groupBy(shown, ({ agent }) => agent);
  const parts = [...groups].map(([agent, found]) => {
    const title = agent === null ? bold('agent-mux') : `${bold(nameOf(agent))} ${dim(`(${agent})`)}`;
    return [title, ...found.flatMap(lines)].join('\n');
  });
  if (absent.length > 0) parts.push(dim(`not installed: ${absent.join(', ')}\namux install AGENT puts one here`));
  const { error, warning } = countsOf(findings);
  const wrong = [count(error, 'error'), count(warning, 'warning')].filter(Boolean).join(', ');
  return [...parts, wrong === '' ? green('nothing is wrong') : bold(wrong)].join('\n\n');
}

function lines({ level, check, message, remedy }: Finding): string[] {
  const painted = paint(process.stdout);
  const { mark, colour } = MARKS[level];
  const first = `  ${painted[colour](mark)} ${painted.dim(check.padEnd(CHECK_COLUMN))} ${oneLine(message, 1000)}`;
  return remedy ? [first, `    ${' '.repeat(CHECK_COLUMN)} ${painted.dim('→')} ${oneLine(remedy, 1000)}`] : [first];
}

function count(number: number, word: string): string {
  return number === 0 ? '' : `${number} ${word}${number === 1 ? '' : 's'}`;
}
