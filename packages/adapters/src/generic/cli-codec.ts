import type { ApprovalMode, Decoded, EventBody, LiveCodec } from '@agent-mux/core';
import { cannotAskEvents } from './generic-adapter.ts';
import { type LinePattern, PATTERN_LINE_CHARS } from './line-pattern.ts';

/** How it is known that a program has finished its answer. */
export type TurnEnds =
  /** It has said something, and nothing more for so long. */
  | { by: 'silence'; afterMs: number }
  /** It prints this line. */
  | { by: 'marker'; marker: string }
  /** It waits at its prompt. */
  | { by: 'prompt'; pattern: LinePattern };

/** What looks like a prompt, or a marker without its newline, is one when nothing has followed it for so long. */
const STANDS_MS = 150;

export interface CliState {
  channel: string;
  approvalMode: ApprovalMode;
  warned: boolean;
  /** It was sent a message of several lines, and may answer each of them. */
  severalLines: boolean;
  toldSeveral: boolean;
  /** Its silence may end a turn. Not where its exit does. */
  silenceEnds: boolean;
  /** It has shown its first prompt: what comes before is a banner. */
  ready: boolean;
  /** A turn that waits for the first prompt. */
  waiting: string | null;
  inTurn: boolean;
  /** It has said something since the last turn was sent or ended. */
  said: boolean;
  /** The line that has not ended, as far as it may be the end of a turn, and how much of it has been told. */
  line: string;
  told: number;
}

/** Text in, text out, of a program that knows no messages. */
export function textCodec(name: string, ends: TurnEnds, exitEnds: boolean): LiveCodec<CliState> {
  const isEnd = (line: string) =>
    (ends.by === 'marker' && line.trimEnd() === ends.marker) || (ends.by === 'prompt' && ends.pattern.matches(line));
  // Where its input ends with the message, it is one; what falls silent has answered all of it.
  const answersLines = ends.by !== 'silence';
  const mayBeEnd = (line: string) => {
    if (line === '' || ends.by === 'silence') return false;
    return ends.by === 'marker' ? isEnd(line) || ends.marker.startsWith(line) : ends.pattern.mayMatch(line);
  };

  return {
    open: (options, seat) => ({
      channel: seat?.channel ?? options.runId,
      approvalMode: options.approvalMode,
      warned: false,
      severalLines: false,
      toldSeveral: false,
      silenceEnds: !exitEnds || options.interactive === true,
      ready: ends.by !== 'prompt' || seat?.used === true,
      waiting: null,
      inTurn: false,
      said: false,
      line: '',
      told: 0,
    }),
    hello: () => [],
    turn(input, state) {
      state.said = false;
      if (!state.ready) {
        state.waiting = input.text;
        return [];
      }
      state.inTurn = true;
      return [noteLines(input.text, state)];
    },
    decode(piece, state) {
      const events: EventBody[] = state.warned ? [] : cannotAskEvents(name, state.approvalMode);
      state.warned = true;
      if (answersLines && state.severalLines && !state.toldSeveral) events.push(severalLines(name));
      state.toldSeveral = state.severalLines;
      if (ends.by === 'silence') events.push(...say(piece, state));
      else events.push(...readLines(piece, state));
      return { events };
    },
    resolve: () => [],
    quietMs(state) {
      if (state.told < state.line.length) return STANDS_MS;
      return ends.by === 'silence' && state.silenceEnds && state.said ? ends.afterMs : undefined;
    },
    quiet(state, over) {
      if (ends.by !== 'silence' && state.line !== '' && isEnd(state.line)) {
        forgetLine(state);
        return over ? { events: [] } : atEnd(state);
      }
      const held = state.line.slice(state.told);
      state.told = state.line.length;
      if (held !== '') return { events: say(held, state) };
      return over || ends.by !== 'silence' ? { events: [] } : { events: endTurn(state, 'quiet') };
    },
  };

  /** A marker is no part of the answer, nor is a prompt. */
  function readLines(piece: string, state: CliState): EventBody[] {
    const events: EventBody[] = [];
    let text = '';
    const [first = '', ...others] = piece.split('\n');
    text += more(first, state);
    for (const next of others) {
      if (ends.by === 'marker' && isEnd(state.line)) {
        events.push(...say(text, state), ...endTurn(state, 'end_marker'));
        text = '';
      } else text += `${state.line.slice(state.told)}\n`;
      forgetLine(state);
      text += more(next, state);
    }
    events.push(...say(text, state));
    return events;
  }

  /** What can be told at once of a line that goes on. */
  function more(part: string, state: CliState): string {
    const before = state.line.slice(state.told);
    // Longer than any end: only the newline counts now.
    if (state.line.length > PATTERN_LINE_CHARS) return part;
    state.line += part;
    if (mayBeEnd(state.line)) return '';
    state.told = state.line.length;
    if (state.line.length > PATTERN_LINE_CHARS) {
      state.line = state.line.slice(0, PATTERN_LINE_CHARS + 1);
      state.told = state.line.length;
    }
    return before + part;
  }

  function atEnd(state: CliState): Decoded<string> {
    if (state.ready) return { events: endTurn(state, ends.by === 'prompt' ? 'prompt' : 'end_marker') };
    state.ready = true;
    if (state.waiting === null) return { events: [] };
    const replies = [noteLines(state.waiting, state)];
    state.waiting = null;
    state.inTurn = true;
    return { events: [], replies };
  }

  /** A late rest is a turn of its own where silence ends turns; elsewhere what comes between two turns is no answer. */
  function say(text: string, state: CliState): EventBody[] {
    if (text === '') return [];
    const blank = text.trim() === '';
    if (state.inTurn || (ends.by === 'silence' && !blank)) {
      if (!blank) state.said = true;
      return [{ type: 'text_delta', delta: text }];
    }
    return blank ? [] : [{ type: 'log', source: 'stdout', line: text.trimEnd() }];
  }
}

function noteLines(text: string, state: CliState): string {
  if (text.trimEnd().includes('\n')) state.severalLines = true;
  return text;
}

function severalLines(name: string): EventBody {
  const message = `${name} was sent a message of several lines; if it answers each of them, only the first answer is shown for certain`;
  return { type: 'debug', level: 'warn', code: 'several_lines', message };
}

function endTurn(state: CliState, stopReason: string): EventBody[] {
  state.said = false;
  if (!state.inTurn && stopReason !== 'quiet') return [];
  state.inTurn = false;
  return [{ type: 'turn_end', status: 'completed', stopReason }];
}

function forgetLine(state: CliState): void {
  state.line = '';
  state.told = 0;
}
