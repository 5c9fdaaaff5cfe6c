import { resolve } from 'node:path';
import type { AgentAdapter, RunResult } from '@agent-mux/core';
import { makeVisible, modeOf, shellCommand } from '@agent-mux/core';
import { type Given, isOn, textFlag } from '../command.ts';
import type { Paint } from '../screen/paint.ts';
import { toOneLine } from '../screen/plain.ts';
import { untilTime } from '../screen/time.ts';
import { wrapToWidth } from '../screen/width.ts';
import { duration, moneyWords, tokenWords } from './amounts.ts';

/** Flags of a run without which its session is not found again, or not by the same agent. */
export function goOnFlags(given: Given): string[] {
  const flags = ['mode', 'on', 'invocation'].flatMap((name) => {
    const value = textFlag(given, name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  const folder = textFlag(given, 'cwd');
  return [
    ...(folder === undefined ? [] : ['-C', resolve(folder)]),
    ...flags,
    ...(isOn(given, 'trust-project') ? ['--trust-project'] : []),
  ];
}

/** From within an installed package the command may not be on the path. */
export function ownCommand(): string[] {
  return process.env.npm_lifecycle_event ? ['npx', 'amux'] : ['amux'];
}

/** What a run came to, in a line; how to go on, in another. */
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
    ...(result.usage ? tokenWords(result.usage) : []),
    ...moneyWords(result.costUsd, result.costSource === 'estimated'),
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
    const words = [...ownCommand(), 'run', '-a', result.agent, '--resume', sessionId, ...flags];
    lines.push(paint.dim(`  session ${toOneLine(sessionId, 200)}`));
    // What cannot be seen cannot be copied either.
    if (words.every((word) => makeVisible(word) === word))
      lines.push(paint.dim(`  go on:  ${shellCommand(words)} "..."`));
  } else if (sessionId !== null) lines.push(paint.dim(`  session ${toOneLine(sessionId, 200)}`));
  return lines;
}

/** Only those that are used up: how full the others are, `amux quota` says. */
function limits({ quota }: RunResult): string[] {
  const windows = quota?.windows.filter(({ exhausted }) => exhausted) ?? [];
  return windows.map(({ window, resetsAt }) => {
    const when = resetsAt === null ? '' : `, lifted ${untilTime(resetsAt)}`;
    return `limit ${toOneLine(window, 40)} used up${when}`;
  });
}
