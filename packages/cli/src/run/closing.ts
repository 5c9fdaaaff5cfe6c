import type { AgentAdapter, RunResult } from '@agent-mux/core';
import { modeOf, shellCommand, visible } from '@agent-mux/core';
import type { Paint } from '../screen/paint.ts';
import { oneLine } from '../screen/plain.ts';

/** What a run came to, in a line; how to go on, in another. */
export function closingLines(result: RunResult, adapter: AgentAdapter, paint: Paint): string[] {
  const parts = [
    paint.bold(result.exitReason === 'completed' ? '✓ done' : `✗ ${result.exitReason.replaceAll('_', ' ')}`),
    duration(result.durationMs),
    ...(result.turnCount > 1 ? [`${result.turnCount} turns`] : []),
    ...tokens(result),
    ...money(result),
    ...(result.model ? [oneLine(result.model, 60)] : []),
    ...limits(result),
  ];
  const lines = [
    (result.exitReason === 'completed' ? paint.green : paint.red)(parts[0] ?? '') + paint.dim(rest(parts)),
  ];
  const { sessionId } = result;
  if (result.error?.code === 'SESSION_NOT_FOUND') return lines;
  if (sessionId !== null && modeOf(adapter, result.mode).capabilities.canResume) {
    const goOn = shellCommand(['amux', 'run', '-a', result.agent, '--resume', sessionId]);
    lines.push(paint.dim(`  session ${oneLine(sessionId, 200)}`));
    if (visible(sessionId) === sessionId) lines.push(paint.dim(`  go on:  ${goOn} "..."`));
  } else if (sessionId !== null) lines.push(paint.dim(`  session ${oneLine(sessionId, 200)}`));
  return lines;
}

function rest(parts: readonly string[]): string {
  return parts
    .slice(1)
    .map((part) => ` · ${part}`)
    .join('');
}

function tokens({ usage }: RunResult): string[] {
  if (!usage) return [];
  const { inputTokens, outputTokens, totalTokens } = usage;
  if (inputTokens !== null && outputTokens !== null)
    return [`${count(inputTokens)} in, ${count(outputTokens)} out tokens`];
  return totalTokens === null ? [] : [`${count(totalTokens)} tokens`];
}

function money({ costUsd, costSource }: RunResult): string[] {
  if (costUsd === null) return [];
  const amount = costUsd > 0 && costUsd < 0.01 ? costUsd.toFixed(6) : costUsd.toFixed(2);
  return [`$${amount}${costSource === 'estimated' ? ' (estimated)' : ''}`];
}

/** Only those that are used up: how full the others are, `amux quota` says. */
function limits({ quota }: RunResult): string[] {
  const windows = quota?.windows.filter(({ exhausted }) => exhausted) ?? [];
  return windows.map(({ window, resetsAt }) => {
    const when = resetsAt === null ? '' : `, lifted at ${new Date(resetsAt).toLocaleString()}`;
    return `limit ${oneLine(window, 40)} used up${when}`;
  });
}

export function count(number: number): string {
  if (number < 1000) return String(number);
  return number < 1_000_000 ? `${(number / 1000).toFixed(1)}k` : `${(number / 1_000_000).toFixed(1)}M`;
}

export function duration(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1).replace(/\.0$/, '')} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`;
  return `${minutes} min${seconds % 60 ? ` ${seconds % 60} s` : ''}`;
}
