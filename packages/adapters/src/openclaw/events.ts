import type { EventBody, ParseContext } from '@agent-mux/core';
import { amount, isRecord, type Json, parseRecord, record, records, text, word } from '../shared/json.ts';
import { readOpenClawError, readOpenClawRetry } from './errors.ts';

/** `openclaw agent exec --json` prints one multi-line document at the end. Before that it only logs. */
export function bufferExecLine(line: string, context: ParseContext): EventBody[] | null {
  const started = start(context);
  if (context.source === 'stderr') return [...started, ...(readOpenClawRetry(line) ?? [])];
  const kept = context.adapterState.document;
  context.adapterState.document = typeof kept === 'string' ? `${kept}\n${line}` : line;
  return started;
}

/** The first line shows that it works; only the document names session and model. */
function start({ adapterState, options }: ParseContext): EventBody[] {
  if (adapterState.started) return [];
  adapterState.started = true;
  return [{ type: 'session_start', cwd: options.cwd, ...(options.model ? { model: options.model } : {}) }];
}

export function endExec(context: ParseContext): EventBody[] {
  const answer = parseRecord(text(context.adapterState.document) ?? '');
  if (!answer) return [];
  const model = word(answer.model);
  const error = record(answer.error);
  const events = costOf(answer, model);
  if (answer.ok !== true) {
    const message = word(error.message) ?? word(answer.final) ?? `the run ended as ${text(answer.status)}`;
    return [...events, readOpenClawError(message), { type: 'turn_end', status: 'failed' }];
  }
  const said =
    word(answer.final) ??
    records(answer.payloads)
      .map((part) => text(part.text) ?? '')
      .join('\n');
  return [...events, { type: 'text_delta', delta: said }, { type: 'turn_end', status: 'completed' }];
}

function costOf(answer: Json, model: string | undefined): EventBody[] {
  if (!isRecord(answer.usage)) return [];
  const { usage } = answer;
  const count = (name: string) => amount(usage[name]) ?? null;
  return [
    {
      type: 'cost',
      usage: {
        inputTokens: count('input'),
        outputTokens: count('output'),
        cacheReadTokens: count('cacheRead'),
        cacheCreationTokens: count('cacheWrite'),
        totalTokens: count('total'),
      },
      costUsd: amount(answer.costUsd) ?? null,
      scope: 'turn',
      source: 'reported',
      ...(model ? { model } : {}),
    },
  ];
}
