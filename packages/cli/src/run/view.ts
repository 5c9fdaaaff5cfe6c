import type { AgentEvent, RunResult } from '@agent-mux/core';
import { roomToWrite } from '../broken-pipe.ts';
import type { RunResultLine } from '../json/documents.ts';
import { jsonOf } from '../screen/json.ts';
import type { ToolLines } from './tool-lines.ts';

/** What becomes of the events of a run for whoever looks on. */
export interface View {
  event(event: AgentEvent): void | Promise<void>;
  finish(result: RunResult): void;
}

/** One event per line; the last line is the result. A reader that is slow slows the run, not the memory. */
export class JsonView implements View {
  readonly #tools: ToolLines;
  readonly #print: (line: string) => void;

  /** The tools are remembered for the one who is asked about them. */
  constructor(tools: ToolLines, print: (line: string) => void) {
    this.#tools = tools;
    this.#print = print;
  }

  async event(event: AgentEvent): Promise<void> {
    if (event.type === 'tool_call_ready') this.#tools.start(event.toolCallId, event.toolName, event.input);
    else if (event.type === 'tool_result') this.#tools.result(event);
    else if (event.type === 'tool_error') this.#tools.error(event);
    if (process.stdout.errored) return;
    this.#print(`${jsonOf(event)}\n`);
    await roomToWrite();
  }

  finish(result: RunResult): void {
    const line: RunResultLine = { type: 'run_result', ...result };
    this.#print(`${jsonOf(line)}\n`);
  }
}
