import type { RunHandle, RunResult } from '@agent-mux/core';
import type { Answerer } from './asking.ts';
import type { Interrupts } from './interrupts.ts';
import type { Terminal } from './terminal.ts';
import type { View } from './view.ts';

const LEAVE = new Set(['/exit', '/quit']);

export interface Onlookers {
  view: View;
  answerer: Answerer;
  interrupts: Interrupts;
  /** Where further turns come from, in an interactive run. */
  turns?: Terminal;
}

/** Follows a run to its end. */
export async function drive(handle: RunHandle, onlookers: Onlookers): Promise<RunResult> {
  const { view, answerer, interrupts, turns } = onlookers;
  let asking: AbortController | undefined;
  try {
    for await (const event of handle) {
      interrupts.event(event);
      // The agent woke by itself: what is typed now would be mistaken for an answer.
      if (event.type === 'turn_start') asking?.abort();
      await view.event(event);
      answerer.event(event);
      if (event.type === 'turn_end' && turns) {
        asking = new AbortController();
        interrupts.betweenTurns = () => {
          asking?.abort();
          void handle.end().catch(() => {});
        };
        void nextTurn(handle, turns, asking.signal);
      }
    }
  } finally {
    asking?.abort();
    interrupts.stop();
  }
  return handle.result;
}

async function nextTurn(handle: RunHandle, turns: Terminal, signal: AbortSignal): Promise<void> {
  for (;;) {
    const prompt = await turns.ask('› ', signal);
    if (signal.aborted) return;
    if (prompt !== undefined && prompt.trim() === '') continue;
    if (prompt === undefined || LEAVE.has(prompt.trim())) await handle.end().catch(() => {});
    else await handle.send(prompt).catch(() => {});
    return;
  }
}
