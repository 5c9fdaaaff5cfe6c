import type { ApprovalMode } from './capabilities.ts';
import type { EventBody } from './events.ts';
import type { ApprovalAnswer, InputAnswer, PendingRequest, ResolvedRunOptions, TurnInput } from './options.ts';

/** Context for a decoder in addition to its state. Time is passed in, so the same bytes always give the same events. */
export interface DecodeContext {
  now: number;
  /** A turn was sent and has not ended. */
  turnActive: boolean;
}

export interface Decoded<Out> {
  events: EventBody[];
  /** Sent immediately: handshake steps, and replies that need no user. */
  replies?: Out[];
}

export type RequestAnswer =
  | { kind: 'approval'; answer: ApprovalAnswer }
  | { kind: 'input'; answer: InputAnswer }
  /** The turn was interrupted, or the run ended, while the request was open. */
  | { kind: 'cancelled' };

/**
 * The conversation with a long-lived agent, for every protocol. The driver sends and receives; the codec only decides
 * what. `state` is plain data (JSON-serializable) and holds all state; no method does I/O. `Out` is one message to the
 * agent and `In` one from it: lines on stdio, calls and events over HTTP.
 */
export interface LiveCodec<State extends object = Record<string, unknown>, Out = string, In = string> {
  /** `slot`: the run's slot in a shared process. */
  open(options: ResolvedRunOptions, slot?: ChannelSlot): State;
  /** Handshake for a new, resumed or forked session, according to the options. */
  handshake(state: State): Out[];
  /** A turn ends when `decode` returns a `turn_end`. */
  turn(input: TurnInput, state: State): Out[];
  decode(message: In, state: State, context: DecodeContext): Decoded<Out>;
  /** Encodes the answer to an `approval_request` or `input_required` that `decode` returned. */
  resolve(request: PendingRequest, answer: RequestAnswer, state: State): Out[];
  interrupt?(state: State): Out[];
  /** Adds input to the running turn. */
  steer?(input: TurnInput, state: State): Out[];
  setModel?(model: string, state: State): Out[];
  setApprovalMode?(mode: ApprovalMode, state: State): Out[];
  /** Sent before the channel is closed. */
  close?(state: State): Out[];
  /**
   * For agents that do not report the end of a turn: after this many milliseconds without output `onIdle` is called.
   * Re-evaluated after every message in either direction; undefined: idle time has no meaning now.
   */
  idleMs?(state: State): number | undefined;
  /**
   * Returns what the silence implies: `turn_end`, or buffered events. `over`: no more output will come, or another turn
   * starts.
   */
  onIdle?(state: State, over: boolean): Decoded<Out>;
}

/** The slot of one run in a process that several runs share. */
export interface ChannelSlot {
  /** Id of the channel, unique within the process. */
  channel: string;
  /** The process has served other runs before: one-time messages have already been sent. */
  used: boolean;
}

/** JSON lines or text over a process's stdin and stdout; one process per run. */
export interface StdioLive {
  transport: 'stdio';
  // The type of the state is private to the codec; the driver only passes it on.
  codec: LiveCodec<object, string, string>;
  /** The first turn waits for the codec's `session_start`. */
  waitForSession: boolean;
  /** The first message answers the handshake regardless of the model; until then the handshake timeout applies. */
  answersHandshake?: boolean;
  /** One process serves several runs; see `SharedStdio`. */
  share?: SharedStdio;
  /** `text`: the codec receives stdout in chunks as they arrive, regardless of line ends. Default: whole lines. */
  framing?: 'lines' | 'text';
  /** Closes stdin after the first prompt, unless the run is interactive. */
  eofAfterPrompt?: boolean;
  /**
   * The process only relays messages and the backend outlives it: the backend is asked to stop, and confirms, before
   * the process is ended.
   */
  isBridge?: boolean;
}

/**
 * How one process is shared: runs with the same key and the same launch arguments use the same process, and each line
 * is routed by its session. The process is kept between the runs of a client.
 */
export interface SharedStdio {
  key(options: ResolvedRunOptions): string;
  /** The process cannot distinguish sessions: runs use it one after the other. */
  exclusive?: boolean;
  /**
   * At the end of a run: a late reply to a request of this run may still arrive. Then the next run gets another
   * process.
   */
  mayReplyLater?(state: never): boolean;
  /** The channel of this run within the process, from its state. */
  channelOf(state: never): string;
  /** The channel that a line belongs to; undefined: every run gets it. */
  route(line: string): string | undefined;
}

export interface HttpCall {
  /** Returned with the reply. */
  tag: string;
  method: string;
  /** Path below the base URL; may include a query. */
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON, or unchanged if it is a string. */
  body?: unknown;
  /**
   * `whole` (default): one reply. `stream`: the body arrives as `chunk` messages, split by line, SSE event or arrival.
   */
  response?: 'whole' | 'stream';
  timeoutMs?: number;
}

/** Tag of the message sent when the server does not open its event stream: a `reply` with its response, or `failed`. */
export const EVENT_STREAM_TAG = 'event-stream';

export type HttpMessage =
  | { kind: 'connected' }
  /** One server-sent event of the event stream. */
  | { kind: 'event'; data: string }
  | { kind: 'reply'; tag: string; status: number; body: unknown; headers: Record<string, string> }
  | { kind: 'chunk'; tag: string; format: 'text' | 'line' | 'sse'; data: string }
  | { kind: 'failed'; tag: string; message: string };

/** How an HTTP server agent is started and reached. */
export interface HttpServerSpec {
  /** Absent: the engine starts the server. `env`: the environment of the host. */
  baseUrl?(options: ResolvedRunOptions, env: NodeJS.ProcessEnv): string;
  /** Extracts the URL from a line of the started server's stdout. */
  readUrl?(line: string): string | undefined;
  /** Runs with the same key and the same launch arguments share one server. It is kept between the runs of a client. */
  shareKey?(options: ResolvedRunOptions): string;
  /** Environment variable for the password, which the engine generates per server. */
  passwordEnv?: string;
  headers?(options: ResolvedRunOptions, password: string, env: NodeJS.ProcessEnv): Record<string, string>;
  /** Path that answers while the server is alive. */
  healthPath?: string;
  /** Whether the health answer comes from such a server; absent: any success does. */
  isHealthy?(body: unknown): boolean;
  /** Without a `healthPath`: any answer to HEAD on this path is a sign of life. */
  probePath?: string;
  /** Path of the run's SSE stream; absent: no event stream. */
  eventsPath?(options: ResolvedRunOptions): string;
}

export interface HttpLive {
  transport: 'http';
  codec: LiveCodec<object, HttpCall, HttpMessage>;
  waitForSession: boolean;
  server: HttpServerSpec;
}

export type LiveSpec = StdioLive | HttpLive;
