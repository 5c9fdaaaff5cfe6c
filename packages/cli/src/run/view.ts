import type { AgentEvent, RunResult } from '@agent-mux/core';
import { roomToWrite } from '../broken-pipe.ts';
import { printJsonLine } from '../output.ts';
import type { ToolLines } from './tool-lines.ts';

/** What becomes of the events of a run for whoever looks on. */
export interface View {
  event(event: AgentEvent): void | Promise<void>;
  finish(result: RunResult): void;
}

/** One event per line; the last line is the result. A reader that is slow slows the run, not the memory. */
export class JsonView implements View {
  readonly #tools: ToolLines;

  /** The tools are remembered for the one who is asked about them. */
  constructor(tools: ToolLines) {
    this.#tools = tools;
  }

  async event(event: AgentEvent): Promise<void> {
    if (event.type === 'tool_call_ready') this.#tools.start(event.toolCallId, event.toolName, event.input);
    else if (event.type === 'tool_result') this.#tools.result(event);
    else if (event.type === 'tool_error') this.#tools.error(event);
    if (process.stdout.errored) return;
    printJsonLine(event);
    await roomToWrite();
  }

  finish(result: RunResult): void {
    printJsonLine({ type: 'run_result', ...result });
  }
}
