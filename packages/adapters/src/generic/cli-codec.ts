import type { ApprovalMode, Decoded, EventBody, LiveCodec } from '@agent-mux/core';
import { noApprovalEvents } from './generic-adapter.ts';
import { type LinePattern, PATTERN_LINE_CHARS } from './line-pattern.ts';

/** How to detect that a program has finished its answer. */
export type TurnEnds =
  /** It has printed something, and then nothing for this time. */
  | { by: 'silence'; afterMs: number }
  /** It prints this line. */
  | { by: 'marker'; marker: string }
  /** It waits at its prompt. */
  | { by: 'prompt'; pattern: LinePattern };

/** Text that looks like a prompt, or a marker without its newline, counts as one after this much silence. */
const SETTLED_MS = 150;

export interface CliState {
  channel: string;
  approvalMode: ApprovalMode;
  warned: boolean;
  /** It received a multi-line message and may answer each line. */
  severalLines: boolean;
  warnedMultiline: boolean;
  /** Silence may end a turn. Not if its exit does. */
  silenceEnds: boolean;
  /** It has shown its first prompt: earlier output is a banner. */
  ready: boolean;
  /** A turn that waits for the first prompt. */
  waiting: string | null;
  inTurn: boolean;
  /** It has printed something since the last turn was sent or ended. */
  said: boolean;
  /** The unfinished line, which may be the end of a turn, and how much of it has been emitted. */
  line: string;
  emitted: number;
}

/** Text in, text out, for a program without messages. */
export function textCodec(name: string, ends: TurnEnds, exitEnds: boolean): LiveCodec<CliState> {
  const isEnd = (line: string) =>
    (ends.by === 'marker' && line.trimEnd() === ends.marker) || (ends.by === 'prompt' && ends.pattern.matches(line));
  // If its input ends with the message, there is only one; a program that falls silent has answered all of it.
  const answersLines = ends.by !== 'silence';
  const mayBeEnd = (line: string) => {
    if (line === '' || ends.by === 'silence') return false;
    return ends.by === 'marker' ? isEnd(line) || ends.marker.startsWith(line) : ends.pattern.mayMatch(line);
  };

  return {
    open: (options, slot) => ({
      channel: slot?.channel ?? options.runId,
      approvalMode: options.approvalMode,
      warned: false,
      severalLines: false,
      warnedMultiline: false,
      silenceEnds: !exitEnds || options.interactive === true,
      ready: ends.by !== 'prompt' || slot?.used === true,
      waiting: null,
      inTurn: false,
      said: false,
      line: '',
      emitted: 0,
    }),
    handshake: () => [],
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
      const events: EventBody[] = state.warned ? [] : noApprovalEvents(name, state.approvalMode);
      state.warned = true;
      if (answersLines && state.severalLines && !state.warnedMultiline) events.push(severalLines(name));
      state.warnedMultiline = state.severalLines;
      if (ends.by === 'silence') events.push(...say(piece, state));
      else events.push(...readLines(piece, state));
      return { events };
    },
    resolve: () => [],
    idleMs(state) {
      if (state.emitted < state.line.length) return SETTLED_MS;
      return ends.by === 'silence' && state.silenceEnds && state.said ? ends.afterMs : undefined;
    },
    onIdle(state, over) {
      if (ends.by !== 'silence' && state.line !== '' && isEnd(state.line)) {
        forgetLine(state);
        return over ? { events: [] } : atEnd(state);
      }
      const held = state.line.slice(state.emitted);
      state.emitted = state.line.length;
      if (held !== '') return { events: say(held, state) };
      return over || ends.by !== 'silence' ? { events: [] } : { events: endTurn(state, 'quiet') };
    },
  };

  /** Neither a marker nor a prompt is part of the answer. */
  function readLines(piece: string, state: CliState): EventBody[] {
    const events: EventBody[] = [];
    let text = '';
    const [first = '', ...others] = piece.split('\n');
    text += more(first, state);
    for (const next of others) {
      if (ends.by === 'marker' && isEnd(state.line)) {
        events.push(...say(text, state), ...endTurn(state, 'end_marker'));
        text = '';
      } else text += `${state.line.slice(state.emitted)}\n`;
      forgetLine(state);
      text += more(next, state);
    }
    events.push(...say(text, state));
    return events;
  }

  /** The part of an unfinished line that can be emitted at once. */
  function more(part: string, state: CliState): string {
    const before = state.line.slice(state.emitted);
    // Longer than any end: only the newline counts now.
    if (state.line.length > PATTERN_LINE_CHARS) return part;
    state.line += part;
    if (mayBeEnd(state.line)) return '';
    state.emitted = state.line.length;
    if (state.line.length > PATTERN_LINE_CHARS) {
      state.line = state.line.slice(0, PATTERN_LINE_CHARS + 1);
      state.emitted = state.line.length;
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

  /** A late rest is a separate turn if silence ends turns; otherwise output between two turns is not an answer. */
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
  const message = `${name} received a multi-line message; if it answers each line, only the first answer is shown reliably`;
  return { type: 'debug', level: 'warn', code: 'multiline_input', message };
}

function endTurn(state: CliState, stopReason: string): EventBody[] {
  state.said = false;
  if (!state.inTurn && stopReason !== 'quiet') return [];
  state.inTurn = false;
  return [{ type: 'turn_end', status: 'completed', stopReason }];
}

function forgetLine(state: CliState): void {
  state.line = '';
  state.emitted = 0;
}
