import type { AgentEvent, RunResult } from '@agent-mux/core';
import { waitForDrain } from '../broken-pipe.ts';
import type { RunResultLine } from '../json/documents.ts';
import { jsonOf } from '../screen/json.ts';
import type { ToolLines } from './tool-lines.ts';

/** Displays the events of a run. */
export interface View {
  event(event: AgentEvent): void | Promise<void>;
  /** No more events at the moment: flushes what was held back. */
  flush?(): Promise<void>;
  finish(result: RunResult): void;
}

/**
 * Prints one event per line, batching pending ones; the last line is the result. A slow reader slows the run instead of filling
 * memory.
 */
export class JsonView implements View {
  readonly #tools: ToolLines;
  readonly #print: (lines: string) => void;
  #lines = '';

  /** Remembers tool calls for approval prompts. */
  constructor(tools: ToolLines, print: (lines: string) => void) {
    this.#tools = tools;
    this.#print = print;
  }

  event(event: AgentEvent): void {
    if (event.type === 'tool_call_ready') this.#tools.start(event.toolCallId, event.toolName, event.input);
    else if (event.type === 'tool_result') this.#tools.result(event);
    else if (event.type === 'tool_error') this.#tools.error(event);
    if (!process.stdout.errored) this.#lines += `${jsonOf(event)}\n`;
  }

  async flush(): Promise<void> {
    const lines = this.#lines;
    this.#lines = '';
    if (lines === '' || process.stdout.errored) return;
    this.#print(lines);
    await waitForDrain();
  }

  finish(result: RunResult): void {
    const line: RunResultLine = { type: 'run_result', ...result };
    this.#print(`${jsonOf(line)}\n`);
  }
}
