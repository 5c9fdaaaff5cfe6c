import type { RunHandle, RunResult } from '@agent-mux/core';
import type { Answerer } from './asking.ts';
import { type Conversation, wordToAmux } from './conversation.ts';
import type { Interrupts } from './interrupts.ts';
import type { Terminal } from './terminal/terminal.ts';
import type { Waiting } from './terminal/waiting.ts';
import type { View } from './view.ts';

export interface Onlookers {
  view: View;
  answerer: Answerer;
  interrupts: Interrupts;
  waiting: Waiting | undefined;
  /** Where further turns come from, in an interactive run: a person who types at any time, or lines that are read. */
  turns: Conversation | Terminal | undefined;
}

/** Follows a run to its end. */
export async function drive(handle: RunHandle, onlookers: Onlookers): Promise<RunResult> {
  const { view, answerer, interrupts, waiting, turns } = onlookers;
  let asking: AbortController | undefined;
  try {
    for await (const events of handle.batches()) {
      for (const event of events) {
        interrupts.event(event);
        waiting?.event(event);
        // The agent woke by itself: what is typed now would be mistaken for an answer.
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
    if (prompt === undefined || wordToAmux(prompt) === 'leave') await handle.end().catch(() => {});
    else await handle.send(prompt).catch(() => {});
    return;
  }
}
