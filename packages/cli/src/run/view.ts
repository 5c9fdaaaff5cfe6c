import type { AgentEvent, RunResult } from '@agent-mux/core';
import { waitForRoom } from '../broken-pipe.ts';
import type { RunResultLine } from '../json/documents.ts';
import { jsonOf } from '../screen/json.ts';
import type { ToolLines } from './tool-lines.ts';

/** What becomes of the events of a run for whoever looks on. */
export interface View {
  event(event: AgentEvent): void | Promise<void>;
  /** No more is there at the moment: whatever was held back is shown. */
  flush?(): Promise<void>;
  finish(result: RunResult): void;
}

/**
 * One event per line, and one write for all that have come at once; the last line is the result. A reader that is slow
 * slows the run, not the memory.
 */
export class JsonView implements View {
  readonly #tools: ToolLines;
  readonly #print: (lines: string) => void;
  #lines = '';

  /** The tools are remembered for the one who is asked about them. */
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
    await waitForRoom();
  }

  finish(result: RunResult): void {
    const line: RunResultLine = { type: 'run_result', ...result };
    this.#print(`${jsonOf(line)}\n`);
  }
}
