import { resolve } from 'node:path';
import type { AgentAdapter, RunResult } from '@agent-mux/core';
import { escapeControls, modeOf, shellCommand } from '@agent-mux/core';
import { hasFlag, type ParsedArgs, stringFlag } from '../command.ts';
import type { Paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { untilTime } from '../screen/time.ts';
import { wrapToWidth } from '../screen/width.ts';
import { duration, formatCost, formatTokens } from './format.ts';

/** Flags needed to find the session again with the same agent. */
export function resumeFlags(args: ParsedArgs): string[] {
  const flags = ['mode', 'on', 'invocation'].flatMap((name) => {
    const value = stringFlag(args, name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  const folder = stringFlag(args, 'cwd');
  return [
    ...(folder === undefined ? [] : ['-C', resolve(folder)]),
    ...flags,
    ...(hasFlag(args, 'trust-project') ? ['--trust-project'] : []),
  ];
}

/** In an installed package, the command may not be on PATH. */
export function amuxCommandLine(): string[] {
  return process.env.npm_lifecycle_event ? ['npx', 'amux'] : ['amux'];
}

/** Summarizes a run in one line, followed by how to resume it. */
export function closingLines(
  result: RunResult,
  adapter: AgentAdapter,
  paint: Paint,
  { flags = [], width = Number.POSITIVE_INFINITY }: { flags?: readonly string[]; width?: number } = {},
): string[] {
  const isDone = result.exitReason === 'completed';
  const head = isDone ? '✓ done' : `✗ ${result.exitReason.replaceAll('_', ' ')}`;
  const parts = [
    head,
    duration(result.durationMs),
    ...(result.turnCount > 1 ? [`${result.turnCount} turns`] : []),
    ...(result.usage ? formatTokens(result.usage) : []),
    ...formatCost(result.costUsd, result.costSource === 'estimated'),
    ...(result.model ? [toOneLine(result.model, 60)] : []),
    ...limits(result),
  ];
  const [first = '', ...more] = wrapToWidth(parts.join(' · '), width - 3);
  const lines = [
    `${(isDone ? paint.green : paint.red)(paint.bold(head))}${paint.dim(first.slice(head.length))}`,
    ...more.map((row) => paint.dim(`  ${row}`)),
  ];
  const { sessionId } = result;
  if (result.error?.code === 'SESSION_NOT_FOUND') return lines;
  if (sessionId !== null && modeOf(adapter, result.mode).capabilities.canResume) {
    const command = [...amuxCommandLine(), 'run', '-a', result.agent, '--resume', sessionId, ...flags];
    lines.push(paint.dim(`  session ${toOneLine(sessionId, 200)}`));
    // A command with invisible characters cannot be copied.
    if (command.every((word) => escapeControls(word) === word))
      lines.push(paint.dim(`  resume:  ${shellCommand(command)} "..."`));
  } else if (sessionId !== null) lines.push(paint.dim(`  session ${toOneLine(sessionId, 200)}`));
  return lines;
}

/** Exhausted limits only; `amux quota` shows the others. */
function limits({ quota }: RunResult): string[] {
  const windows = quota?.windows.filter(({ exhausted }) => exhausted) ?? [];
  return windows.map(({ window, resetsAt }) => {
    const when = resetsAt === null ? '' : `, resets ${untilTime(resetsAt)}`;
    return `limit ${toOneLine(window, 40)} exhausted${when}`;
  });
}
