import type { RunHandle, RunResult } from '@agent-mux/core';
import { type Conversation, parseSlashCommand } from './conversation.ts';
import type { Interrupts } from './interrupts.ts';
import type { RequestHandler } from './request-handlers.ts';
import type { StatusLine } from './terminal/status-line.ts';
import type { Terminal } from './terminal/terminal.ts';
import type { View } from './view.ts';

export interface RunObservers {
  view: View;
  answerer: RequestHandler;
  interrupts: Interrupts;
  waiting: StatusLine | undefined;
  /** Source of further turns in an interactive run: a terminal, or lines of stdin. */
  turns: Conversation | Terminal | undefined;
}

/** Follows a run until it ends. */
export async function drive(handle: RunHandle, onlookers: RunObservers): Promise<RunResult> {
  const { view, answerer, interrupts, waiting, turns } = onlookers;
  let asking: AbortController | undefined;
  try {
    for await (const events of handle.batches()) {
      for (const event of events) {
        interrupts.event(event);
        waiting?.event(event);
        // The agent started a turn on its own: input typed now would look like an answer.
        if (event.type === 'turn_start') asking?.abort();
        const shown = view.event(event);
        if (shown) await shown;
        answerer.event(event);
        if (turns && 'event' in turns) turns.event(event);
        else if (event.type === 'turn_end' && turns) {
          asking = new AbortController();
          waiting?.pause();
          interrupts.betweenTurns = () => {
            interrupts.betweenTurns = undefined;
            asking?.abort();
            void handle.end().catch(() => {});
          };
          void nextTurn(handle, turns, asking.signal);
        }
      }
      await view.flush?.();
    }
  } finally {
    asking?.abort();
    waiting?.stop();
    interrupts.stop();
  }
  return handle.result;
}

async function nextTurn(handle: RunHandle, turns: Terminal, signal: AbortSignal): Promise<void> {
  for (;;) {
    const prompt = await turns.ask('› ', signal);
    if (signal.aborted) return;
    if (prompt !== undefined && prompt.trim() === '') continue;
    if (prompt === undefined || parseSlashCommand(prompt) === 'leave') await handle.end().catch(() => {});
    else await handle.send(prompt).catch(() => {});
    return;
  }
}
