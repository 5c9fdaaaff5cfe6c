import type { AgentEvent } from '@agent-mux/core';
import { isRecord } from '@agent-mux/core/light';
import type { Paint } from '../../screen/paint.ts';
import { toOneLine } from '../../screen/plain.ts';
import { cutToWidth } from '../../screen/width.ts';
import { summarizeInput } from '../summaries.ts';

/** After so much silence a line tells what goes on. */
const SILENCE_MS = 150;
const FRAME_MS = 100;
const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** With fewer columns the line has no room for what can be done about it. */
const ROOM_FOR_HINT = 60;

/** What an agent is at, and since when. */
export interface Doing {
  what: string;
  since: number;
  /** It goes on at this time. */
  until?: number;
  /** The tools at work, the last one last. */
  tools: ReadonlyMap<string, string>;
}

export function startDoing(name: string, now: number): Doing {
  return { what: `${name} is starting`, since: now, tools: new Map() };
}

/** What an event makes of it. Undefined: nothing is waited for. */
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
        ? { what: 'trying again', since: now, tools }
        : { what: 'trying again', since: now, until: now + event.delayMs, tools };
    case 'interrupted':
      return { what: 'interrupting', since: now, tools };
    case 'turn_end':
      return { what: `${name} is finishing`, since: now, tools: new Map() };
    default:
      return doing;
  }
}

/** A command says enough by itself; a path needs the name of the tool. */
function running(name: string, input: unknown): string {
  const summary = summarizeInput(input, 60);
  const isCommand = isRecord(input) && ['command', 'cmd'].some((field) => input[field] !== undefined);
  return `running ${isCommand && summary ? summary : `${name} ${summary}`.trimEnd()}`;
}

/** `⠋ running npm test · 12 s`, in at most so many columns. */
export function waitingRow(doing: Doing, now: number, columns: number, { cyan, dim }: Paint): string {
  const frame = FRAMES[Math.floor(now / FRAME_MS) % FRAMES.length] ?? '';
  const time =
    doing.until === undefined ? ` · ${span(now - doing.since)}` : ` in ${span(Math.max(0, doing.until - now) + 999)}`;
  const hint = columns >= ROOM_FOR_HINT ? ' · Ctrl-C stops it' : '';
  const what = cutToWidth(toOneLine(doing.what, 200), columns - 4 - time.length - hint.length);
  return `${cyan(frame)} ${what}${dim(`${time}${hint}`)}`;
}

function span(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

interface WaitingPlace {
  columns(): number;
  /** When something was written last. */
  lastWrite(): number;
  show(row: string | undefined): void;
}

/** Tells on a terminal what goes on while nothing else is written. */
export class Waiting {
  readonly #place: WaitingPlace;
  readonly #name: string;
  readonly #paint: Paint;
  readonly #timer: NodeJS.Timeout;
  #doing: Doing | undefined;

  constructor(given: { place: WaitingPlace; name: string; paint: Paint }) {
    this.#place = given.place;
    this.#name = given.name;
    this.#paint = given.paint;
    this.#doing = startDoing(given.name, Date.now());
    this.#timer = setInterval(this.#look, FRAME_MS / 2);
    this.#timer.unref();
  }

  event(event: AgentEvent): void {
    this.#doing = nextDoing(this.#doing, event, this.#name);
  }

  /** Nothing is waited for: a person is to say what is next. */
  pause(): void {
    this.#doing = undefined;
    this.#look();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#place.show(undefined);
  }

  readonly #look = () => {
    const now = Date.now();
    const isSilent = now - this.#place.lastWrite() >= SILENCE_MS;
    const row = this.#doing && isSilent ? waitingRow(this.#doing, now, this.#place.columns(), this.#paint) : undefined;
    this.#place.show(row);
  };
}
