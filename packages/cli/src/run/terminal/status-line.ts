import type { AgentEvent } from '@agent-mux/core';
import { isRecord } from '@agent-mux/core/light';
import type { Paint } from '../../screen/paint.ts';
import { toOneLine } from '../../screen/plain.ts';
import { cutToWidth } from '../../screen/width.ts';
import { summarizeInput } from '../summaries.ts';

/** After this much silence, a status line is shown. */
const SILENCE_MS = 150;
const FRAME_MS = 100;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** With fewer columns, the hint is omitted. */
const MIN_WIDTH_FOR_HINT = 60;

/** The agent's current activity and its start. */
export interface Doing {
  what: string;
  since: number;
  /** Time at which it continues. */
  until?: number;
  /** Running tools, the latest last. */
  tools: ReadonlyMap<string, string>;
}

export function startDoing(name: string, now: number): Doing {
  return { what: `${name} is starting`, since: now, tools: new Map() };
}

/** Updates the activity with an event. Undefined if nothing is running. */
export function nextDoing(doing: Doing | undefined, event: AgentEvent, name: string): Doing | undefined {
  const tools = doing?.tools ?? new Map<string, string>();
  const now = event.timestamp;
  const thinking = (left: ReadonlyMap<string, string>): Doing => {
    const last = [...left.values()].at(-1);
    if (last === undefined) return { what: `${name} is thinking`, since: now, tools: left };
    const more = left.size > 1 ? ` and ${left.size - 1} more` : '';
    return { what: `${last}${more}`, since: now, tools: left };
  };
  switch (event.type) {
    case 'turn_start':
    case 'approval_resolved':
    case 'input_resolved':
    case 'message_stop':
      return thinking(tools);
    case 'text_delta':
    case 'thinking_delta':
      return tools.size > 0 ? doing : { what: `${name} is thinking`, since: now, tools };
    case 'tool_call_start':
      return tools.size > 0 ? doing : { what: `preparing ${event.toolName}`, since: now, tools };
    case 'tool_call_ready':
      return thinking(new Map(tools).set(event.toolCallId, running(event.toolName, event.input)));
    case 'mcp_tool_call_start':
      return thinking(new Map(tools).set(event.toolCallId, running(`${event.server}/${event.toolName}`, event.input)));
    case 'tool_result':
    case 'tool_error':
    case 'mcp_tool_result':
    case 'mcp_tool_error':
      return thinking(new Map([...tools].filter(([id]) => id !== event.toolCallId)));
    case 'retry':
      return event.delayMs === undefined
        ? { what: 'retrying', since: now, tools }
        : { what: 'retrying', since: now, until: now + event.delayMs, tools };
    case 'interrupted':
      return { what: 'interrupting', since: now, tools };
    case 'turn_end':
      return { what: `${name} is finishing`, since: now, tools: new Map() };
    default:
      return doing;
  }
}

/** A command is clear without the tool name; a path is not. */
function running(name: string, input: unknown): string {
  const summary = summarizeInput(input, 60);
  const isCommand = isRecord(input) && ['command', 'cmd'].some((field) => input[field] !== undefined);
  return `running ${isCommand && summary ? summary : `${name} ${summary}`.trimEnd()}`;
}

/** `⠋ running npm test · 12 s`, limited to the given columns. */
export function waitingRow(doing: Doing, now: number, columns: number, { cyan, dim }: Paint): string {
  const frame = FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? '';
  const time =
    doing.until === undefined ? ` · ${span(now - doing.since)}` : ` in ${span(Math.max(0, doing.until - now) + 999)}`;
  const hint = columns >= MIN_WIDTH_FOR_HINT ? ' · Ctrl-C interrupts' : '';
  const what = cutToWidth(toOneLine(doing.what, 200), columns - 4 - time.length - hint.length);
  return `${cyan(frame)} ${what}${dim(`${time}${hint}`)}`;
}

function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

interface StatusOutput {
  columns(): number;
  /** Time of the last output. */
  lastWrite(): number;
  show(row: string | undefined): void;
}

/** Shows the current activity on a terminal while nothing else is written. */
export class StatusLine {
  readonly #output: StatusOutput;
  readonly #name: string;
  readonly #paint: Paint;
  readonly #timer: NodeJS.Timeout;
  #doing: Doing | undefined;

  constructor(options: { output: StatusOutput; name: string; paint: Paint }) {
    this.#output = options.output;
    this.#name = options.name;
    this.#paint = options.paint;
    this.#doing = startDoing(options.name, Date.now());
    this.#timer = setInterval(this.#look, FRAME_MS / 2);
    this.#timer.unref();
  }

  event(event: AgentEvent): void {
    this.#doing = nextDoing(this.#doing, event, this.#name);
  }

  /** Hides the line while the user is prompted. */
  pause(): void {
    this.#doing = undefined;
    this.#look();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#output.show(undefined);
  }

  readonly #look = () => {
    const now = Date.now();
    const isSilent = now - this.#output.lastWrite() >= SILENCE_MS;
    const row = this.#doing && isSilent ? waitingRow(this.#doing, now, this.#output.columns(), this.#paint) : undefined;
    this.#output.show(row);
  };
}
