import type {
  DecodeContext,
  EventBody,
  LiveCodec,
  PendingRequest,
  RequestAnswer,
  ResolvedRunOptions,
  TurnInput,
} from '@agent-mux/core';
import type { RecordedLine } from './recording.ts';
import { createResolvedOptions, REPLAY_NOW } from './resolved-options.ts';

/** An action of the caller of a run at one position of a conversation. */
export type LiveAct =
  | { act: 'turn'; text: string }
  | { act: 'steer'; text: string }
  | { act: 'interrupt' }
  /** Without a `requestId`: the oldest open request. */
  | { act: 'resolve'; requestId?: string; answer: RequestAnswer };

export interface ReplayLiveOptions {
  options?: Partial<ResolvedRunOptions>;
  /**
   * Turns sent as a driver does: the first at the start (or after `session_start`), each next one when a turn has
   * ended.
   */
  inputs?: readonly string[];
  waitForSession?: boolean;
  /** The action behind a recorded line to the agent; undefined: the codec sends such lines on its own. */
  actOf?: (line: string) => LiveAct | undefined;
  /** Answers a request as soon as it is decoded. */
  answer?: (event: EventBody & { type: 'approval_request' | 'input_required' }) => RequestAnswer | undefined;
  /** Epoch milliseconds of the n-th line; default always the same. */
  now?: (lineIndex: number) => number;
  /** Takes the codec's state through JSON after every step, as a store would. */
  storeState?: boolean;
}

export interface LiveReplay {
  events: EventBody[];
  /** Lines that `decode` sent back. */
  replies: string[];
  /** All lines of the codec, in order, with the reason. */
  sent: { by: 'hello' | 'reply' | LiveAct['act']; line: string }[];
}

/**
 * A recorded conversation through a stdio codec: lines from the agent are decoded, actions are performed at their
 * position.
 */
export function replayLive<State extends object>(
  codec: LiveCodec<State>,
  conversation: readonly (string | RecordedLine | LiveAct)[],
  replay: ReplayLiveOptions = {},
): LiveReplay {
  let state = codec.open(createResolvedOptions({ mode: 'live', ...replay.options }));
  const result: LiveReplay = { events: [], replies: [], sent: [] };
  const context: DecodeContext = { now: 0, turnActive: false };
  const inputs = [...(replay.inputs ?? [])];
  const open: PendingRequest[] = [];
  let sessionStarted = false;
  let lineIndex = 0;

  const say = (by: LiveReplay['sent'][number]['by'], lines: readonly string[] | undefined): void => {
    if (!lines) throw new Error(`The codec cannot ${by}`);
    for (const line of lines) result.sent.push({ by, line });
    if (by === 'reply') result.replies.push(...lines);
  };
  const perform = (act: LiveAct): void => {
    if (act.act === 'turn') {
      context.turnActive = true;
      say('turn', codec.turn(turnInput(act.text), state));
    } else if (act.act === 'steer') say('steer', codec.steer?.(turnInput(act.text), state));
    else if (act.act === 'interrupt') say('interrupt', codec.interrupt?.(state));
    else {
      const at = act.requestId === undefined ? 0 : open.findIndex((request) => request.requestId === act.requestId);
      const [request] = at === -1 ? [] : open.splice(at, 1);
      if (!request) throw new Error(`No open request ${act.requestId ?? ''} to resolve`);
      say('resolve', codec.resolve(request, act.answer, state));
    }
  };
  const note = (event: EventBody): void => {
    result.events.push(event);
    if (event.type === 'session_start') sessionStarted = true;
    else if (event.type === 'turn_start') context.turnActive = true;
    else if (event.type === 'turn_end') context.turnActive = false;
    else if (event.type === 'approval_request' || event.type === 'input_required') {
      open.push(pendingOf(event));
      const answer = replay.answer?.(event);
      if (answer) perform({ act: 'resolve', requestId: event.requestId, answer });
    }
  };
  const store = (): void => {
    if (replay.storeState) state = JSON.parse(JSON.stringify(state));
  };
  const sendNextInput = (): void => {
    if (context.turnActive || (replay.waitForSession && !sessionStarted)) return;
    const text = inputs.shift();
    if (text !== undefined) perform({ act: 'turn', text });
  };

  say('hello', codec.handshake(state));
  sendNextInput();
  for (const item of conversation) {
    store();
    const step = readItem(item, replay.actOf);
    if (step === undefined) continue;
    if (typeof step !== 'string') {
      perform(step);
      continue;
    }
    context.now = replay.now?.(lineIndex++) ?? REPLAY_NOW;
    const decoded = codec.decode(step, state, { ...context });
    say('reply', decoded.replies ?? []);
    for (const event of decoded.events) note(event);
    sendNextInput();
  }
  store();
  return result;
}

/** A line to decode, an action to perform, or nothing. */
function readItem(
  item: string | RecordedLine | LiveAct,
  actOf: ReplayLiveOptions['actOf'],
): string | LiveAct | undefined {
  if (typeof item === 'string' || 'act' in item) return item;
  return item.direction === 'in' ? item.line : actOf?.(item.line);
}

function turnInput(text: string): TurnInput {
  return { text, attachments: [] };
}

function pendingOf(event: EventBody & { type: 'approval_request' | 'input_required' }): PendingRequest {
  const { requestId } = event;
  if (event.type === 'input_required') return { kind: 'input', requestId };
  return { kind: 'approval', requestId, toolName: event.toolName, options: event.options };
}
