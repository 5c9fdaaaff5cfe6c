import type { ApprovalMode } from './capabilities.ts';
import type { EventBody } from './events.ts';
import type { ApprovalAnswer, InputAnswer, PendingRequest, ResolvedRunOptions, TurnInput } from './options.ts';

/** What a decoder may know beside its own state. Time is passed in, so that the same bytes give the same events. */
export interface DecodeContext {
  now: number;
  /** A turn was sent and has not ended. */
  turnActive: boolean;
}

export interface Decoded<Out> {
  events: EventBody[];
  /** Sent back at once: handshake steps, answers to requests that need nobody. */
  replies?: Out[];
}

export type RequestAnswer =
  | { kind: 'approval'; answer: ApprovalAnswer }
  | { kind: 'input'; answer: InputAnswer }
  /** The turn was interrupted or the run ends while the request is open. */
  | { kind: 'cancelled' };

/**
 * The conversation with a long-lived agent, for every protocol. The driver sends and receives; the codec only says what.
 * `state` is plain data (it survives JSON), all of it lives there, and no method does I/O.
 * `Out` is one message to the agent and `In` one from it: lines on stdio, calls and events over HTTP.
 */
export interface LiveCodec<State extends object = Record<string, unknown>, Out = string, In = string> {
  /** `seat`: where the run sits in a process that it shares. */
  open(options: ResolvedRunOptions, seat?: Seat): State;
  /** Handshake; new, resumed or forked session, as the options say. */
  hello(state: State): Out[];
  /** A turn ends when `decode` returns a `turn_end`. */
  turn(input: TurnInput, state: State): Out[];
  decode(message: In, state: State, context: DecodeContext): Decoded<Out>;
  /** The answer to an `approval_request` or `input_required` that `decode` returned. */
  resolve(request: PendingRequest, answer: RequestAnswer, state: State): Out[];
  interrupt?(state: State): Out[];
  /** Into the running turn. */
  steer?(input: TurnInput, state: State): Out[];
  setModel?(model: string, state: State): Out[];
  setApprovalMode?(mode: ApprovalMode, state: State): Out[];
  /** Said before the channel is closed. */
  close?(state: State): Out[];
  /**
   * For agents that do not say when they are done: after so many milliseconds without output `quiet` is asked. Looked at
   * whenever something was sent or has come; undefined: silence says nothing now.
   */
  quietMs?(state: State): number | undefined;
  /** What the silence means: `turn_end`, or what was kept back. `over`: nothing more will come, or another turn begins. */
  quiet?(state: State, over: boolean): Decoded<Out>;
}

/** The place of one run in a process that several runs share. */
export interface Seat {
  /** The id of its channel: no other run has or will have it in this process. */
  channel: string;
  /** The process has served others before: what it says only once has been said. */
  used: boolean;
}

/** JSON lines or text over a process's stdin and stdout; this run's own process. */
export interface StdioLive {
  transport: 'stdio';
  // The state's type is the codec's own business; the driver only carries it.
  codec: LiveCodec<object, string, string>;
  /** The first turn waits for the codec's `session_start`. */
  sessionFirst: boolean;
  /** Its first message answers the hello, whatever the model does: until then it counts as a handshake. */
  answersHello?: boolean;
  /** One process serves several runs; see `SharedStdio`. */
  share?: SharedStdio;
  /** `text`: the codec gets stdout in pieces as they come, whether or not a line has ended. Default: whole lines. */
  framing?: 'lines' | 'text';
  /** stdin is closed once the first prompt has been sent, unless the run is interactive. */
  eofAfterPrompt?: boolean;
  /** It only carries messages, and what works behind it outlives it: that is told to stop, and heard, before the process is ended. */
  isBridge?: boolean;
}

/**
 * How one process is shared: runs with the same key, which would start it in the same way, use the same process, and each
 * line is routed by its session. It is kept between the runs of a client.
 */
export interface SharedStdio {
  key(options: ResolvedRunOptions): string;
  /** It cannot tell sessions apart: the runs use it one after the other. */
  oneAtATime?: boolean;
  /** At the end of a run: it may still answer something that the run has asked. Then the next one gets another process. */
  mayAnswerLater?(state: never): boolean;
  /** The channel of this run within the process, from its state. */
  channelOf(state: never): string;
  /** The channel that a line belongs to; undefined: every run gets it. */
  route(line: string): string | undefined;
}

export interface HttpCall {
  /** Comes back with the reply. */
  tag: string;
  method: string;
  /** Below the base URL; may carry a query. */
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON, or as it is when it is a string. */
  body?: unknown;
  /** `whole` (default): one reply. `stream`: the body comes as `chunk` messages, cut at lines, SSE data or arrival. */
  response?: 'whole' | 'stream';
  timeoutMs?: number;
}

/** The tag of what the server says instead of opening its event stream: a `reply` with its refusal, or `failed`. */
export const EVENT_STREAM_TAG = 'event-stream';

export type HttpMessage =
  | { kind: 'connected' }
  /** One server-sent event of the event stream. */
  | { kind: 'event'; data: string }
  | { kind: 'reply'; tag: string; status: number; body: unknown; headers: Record<string, string> }
  | { kind: 'chunk'; tag: string; format: 'text' | 'line' | 'sse'; data: string }
  | { kind: 'failed'; tag: string; message: string };

/** How a server agent is started and reached. */
export interface HttpServerSpec {
  /** Absent: the engine starts it. `env`: the environment of the host. */
  baseUrl?(options: ResolvedRunOptions, env: NodeJS.ProcessEnv): string;
  /** From a line of the started server's stdout to its URL. */
  readUrl?(line: string): string | undefined;
  /** Runs with the same key, which would start it in the same way, share one server. It is kept between the runs of a client. */
  shareKey?(options: ResolvedRunOptions): string;
  /** The password is made by the engine, per server. */
  passwordEnv?: string;
  headers?(options: ResolvedRunOptions, password: string, env: NodeJS.ProcessEnv): Record<string, string>;
  /** Path that answers when it is alive. */
  healthPath?: string;
  /** Whether that answer is one of such a server; absent: any success is. */
  isHealthy?(body: unknown): boolean;
  /** Without a `healthPath`: where any answer to HEAD is a sign of life. */
  probePath?: string;
  /** Path of the SSE stream of this run; absent: no event stream. */
  eventsPath?(options: ResolvedRunOptions): string;
}

export interface HttpLive {
  transport: 'http';
  codec: LiveCodec<object, HttpCall, HttpMessage>;
  sessionFirst: boolean;
  server: HttpServerSpec;
}

export type LiveFacet = StdioLive | HttpLive;
