import type { AgentEvent, EventOf, EventType, PlanEntry, RunResult } from '@agent-mux/core';
import { escapeControls } from '@agent-mux/core/light';
import { isStalled, waitForDrain } from '../broken-pipe.ts';
import { toOneLine } from '../screen/plain.ts';
import type { Screen } from '../screen/screen.ts';
import { duration } from './format.ts';
import { ToolLines } from './tool-lines.ts';
import { TurnTally } from './turn-tally.ts';
import type { View } from './view.ts';

/** Number of stderr lines shown after a crash. */
const SHOWN_STDERR_LINES = 6;
/** Events that do not end the line of an open tool call. */
const SILENT: ReadonlySet<EventType> = new Set<EventType>([
  'tool_input_delta',
  'tool_output_delta',
  'tool_result',
  'tool_error',
  'mcp_tool_result',
  'mcp_tool_error',
  'message_stop',
  'message_start',
  'cost',
  'context_usage',
  'rate_limit_status',
  'file_change',
]);

export interface TextViewOptions {
  debug: boolean;
  /** The run continues after a failed turn, so the failure is reported at once. */
  interactive: boolean;
}

type Handlers = { [T in EventType]?: (event: EventOf<T>) => void };

/** Shows a run: the answer as it streams, thoughts dimmed, one line per tool, errors in color. */
export class TextView implements View {
  readonly tools: ToolLines;
  readonly #tally = new TurnTally();
  readonly #screen: Screen;
  readonly #options: TextViewOptions;
  #planned = false;
  #failure: string | undefined;
  /** The agent's latest stderr lines, so that a crash does not repeat them. */
  #logged: string[] = [];
  /** Titles of open requests, by request id. */
  readonly #requestTitles = new Map<string, string>();

  constructor(screen: Screen, options: TextViewOptions) {
    this.#screen = screen;
    this.#options = options;
    this.tools = new ToolLines(screen);
  }

  event(event: AgentEvent): void | Promise<void> {
    this.#tally.event(event);
    const handler = this.#handlers[event.type] as ((event: AgentEvent) => void) | undefined;
    if (!handler) return;
    if (!SILENT.has(event.type)) this.tools.close();
    handler(event);
    if (isStalled()) return waitForDrain();
  }

  finish(_result: RunResult): void {
    this.#screen.finish();
  }

  #note(text: string): void {
    const { paint, width } = this.#screen;
    this.#screen.line(paint.dim(`  ${toOneLine(text, width - 3)}`));
  }

  #warn(text: string): void {
    this.#screen.line(`${this.#screen.paint.yellow('!')} ${toOneLine(text, 400)}`);
  }

  readonly #handlers: Handlers = {
    approval_request: ({ requestId, title }) => {
      this.#requestTitles.set(requestId, escapeControls(title));
    },
    approval_resolved: ({ requestId, outcome, rule }) => {
      const title = this.#requestTitles.get(requestId) ?? requestId;
      this.#requestTitles.delete(requestId);
      if (rule === undefined) return;
      const say = outcome === 'allowed' ? (text: string) => this.#note(text) : (text: string) => this.#warn(text);
      say(`${outcome} by ${rule.startsWith('remembered ') ? rule : `rule ${rule}`}: ${title}`);
    },
    text_delta: ({ delta, parentToolCallId }) => {
      if (parentToolCallId === undefined) this.#screen.text(delta);
    },
    message_stop: ({ parentToolCallId }) => {
      if (parentToolCallId === undefined) this.#screen.endMessage();
    },
    message_discard: ({ reason }) => {
      const isGone = this.#screen.discardMessage();
      this.#note(`the agent restarts its answer: ${reason}`);
      if (!isGone) this.#warn('the answer written so far is void');
    },
    thinking_delta: ({ delta, parentToolCallId }) => {
      if (parentToolCallId === undefined) this.#screen.thinking(delta);
    },
    tool_call_ready: ({ toolCallId, toolName, input, parentToolCallId }) =>
      this.tools.start(toolCallId, toolName, input, parentToolCallId),
    mcp_tool_call_start: ({ toolCallId, server, toolName, input }) =>
      this.tools.start(toolCallId, `${server}/${toolName}`, input),
    tool_result: (event) => this.tools.result(event),
    mcp_tool_result: (event) => this.tools.result(event),
    tool_error: (event) => this.tools.error(event),
    mcp_tool_error: (event) => this.tools.error(event),
    file_change: (event) => this.tools.fileChange(event),
    file_output: ({ path }) => this.#note(`file: ${path}`),
    image_output: ({ path, mimeType }) => this.#note(`image: ${path ?? mimeType}`),
    subagent_start: ({ name, prompt }) => this.#note(`subagent ${name ?? ''} started${prompt ? `: ${prompt}` : ''}`),
    subagent_end: ({ status, summary }) => this.#note(`subagent ${status}${summary ? `: ${summary}` : ''}`),
    plan_update: ({ entries }) => this.#plan(entries),
    context_compacted: () => this.#note('the conversation was compacted'),
    retry: ({ attempt, maxAttempts, delayMs, reason }) => {
      const count = maxAttempts === undefined ? `${attempt}` : `${attempt} of ${maxAttempts}`;
      this.#warn(`${reason}; retry ${count}${delayMs === undefined ? '' : ` in ${duration(delayMs)}`}`);
    },
    rate_limit_status: ({ limited }) => {
      if (limited) this.#warn('usage limit reached');
    },
    turn_start: ({ origin }) => {
      this.#failure = undefined;
      if (origin === 'agent') this.#note('the agent continues on its own');
    },
    turn_end: ({ status, timestamp }) => {
      this.#screen.endMessage();
      if (!this.#options.interactive) return;
      if (status === 'failed') this.#warn(this.#failure ?? 'the turn failed');
      const sign = status === 'completed' ? '✓' : `✗ ${status.replaceAll('_', ' ')} ·`;
      const { paint } = this.#screen;
      for (const row of this.#screen.rows(`${sign} ${this.#tally.parts(timestamp).join(' · ')}`)) {
        this.#screen.line(paint.dim(row));
      }
    },
    error: ({ message, recoverable }) => {
      if (recoverable) this.#warn(message);
      else this.#failure = message;
    },
    auth_error: ({ message }) => {
      this.#failure = message;
    },
    rate_limit_error: ({ message }) => {
      this.#failure = message;
    },
    context_exceeded: ({ message }) => {
      this.#failure = message;
    },
    crash: ({ stderr }) => {
      const lines = stderr.split('\n').filter((line) => line.trim() !== '');
      const unseen = lines.slice(-SHOWN_STDERR_LINES).filter((line) => !this.#logged.includes(line));
      for (const line of unseen) this.#note(`│ ${line}`);
    },
    debug: ({ level, message }) => {
      if (level === 'warn') this.#warn(message);
      else if (this.#options.debug) this.#note(message);
    },
    log: ({ line }) => {
      this.#logged = [...this.#logged.slice(-SHOWN_STDERR_LINES), line];
      this.#note(`│ ${line}`);
    },
  };

  #plan(entries: readonly PlanEntry[]): void {
    const { paint, width } = this.#screen;
    const done = entries.filter(({ status }) => status === 'completed').length;
    if (this.#planned) {
      const now = entries.find(({ status }) => status === 'in_progress')?.content;
      this.#note(`plan ${done}/${entries.length}${now ? ` ▸ ${now}` : ''}`);
      return;
    }
    this.#planned = true;
    this.#screen.line(paint.dim('  plan'));
    const marks = { completed: '✓', in_progress: '▸', pending: '·' };
    for (const { content, status } of entries) {
      this.#screen.line(paint.dim(`    ${marks[status]} ${toOneLine(content, width - 8)}`));
    }
  }
}
