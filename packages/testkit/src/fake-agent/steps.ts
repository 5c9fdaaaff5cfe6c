import type { EventBody } from '@agent-mux/core';

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGQUIT' | 'SIGUSR1' | 'SIGUSR2' | 'SIGPIPE' | 'SIGCONT';
export type OutputStream = 'stdout' | 'stderr';
export type LineEnding = 'lf' | 'crlf' | 'none';
type Asking = Extract<EventBody, { type: 'approval_request' | 'input_required' }>;

/**
 * What the fake agent does, one after the other; the end of the list is exit 0. A step has ended when its bytes have left
 * the process, so a reader that stalls stalls the script.
 *
 * `text` and `event` may hold placeholders, `{{name}}`: `line` and `stdin` (last read), `signal`, `i` (of `repeat`),
 * `n`, `turn`, `steer`, `answer`, `model`, `mode` (of `live`), and what the command line gives as `--var name=value`.
 *
 * Everything the process reports about itself is a line `{"type":"<report>", ...}` on stdout; the reports are named below.
 */
export type Step =
  // Output
  | { do: 'line'; text: string; ending?: LineEnding; to?: OutputStream }
  /** One event as a line of JSON: the one-shot protocol. */
  | { do: 'event'; event: EventBody; ending?: LineEnding; to?: OutputStream }
  /** The first half of an event's JSON without a newline; then the process exits. */
  | { do: 'half-event'; event: EventBody; exitCode: number }
  /** These bytes and nothing else. */
  | { do: 'bytes'; base64: string; to?: OutputStream }
  /** A line written `size` bytes at a time, so that it splits inside UTF-8 sequences. */
  | { do: 'chunks'; text: string; size: number; delayMs: number; ending?: LineEnding; to?: OutputStream }
  /** One `text_delta` line of exactly `bytes` bytes before its newline, never whole in memory. */
  | { do: 'huge-line'; bytes: number; ending?: LineEnding; to?: OutputStream }
  /**
   * `text_delta` lines as fast as the pipe accepts them; each has `bytes` bytes before its newline, and its delta
   * starts with its number from 0 and a space.
   */
  | { do: 'flood'; lines: number; bytes: number; to?: OutputStream }
  // Input
  /**
   * Waits for a line of stdin (that matches; others are dropped). `echo` reports `stdin` with `line`, which is null at
   * the end of stdin.
   */
  | { do: 'read-line'; match?: string; echo?: boolean }
  /** Reads stdin to its end and reports `stdin_end` with `bytes` and `sha256`. */
  | { do: 'read-all' }
  /** Closes its end of stdin: the writer gets EPIPE. Reports `stdin_closed`. */
  | { do: 'close-stdin' }
  // Time and ending
  | { do: 'wait'; ms: number }
  | { do: 'hang' }
  | { do: 'exit'; code: number }
  /** Ends by this signal, whatever was ignored before. */
  | { do: 'kill-self'; signal: Signal | 'SIGKILL' | 'SIGABRT' | 'SIGSEGV' }
  // Signals
  | { do: 'ignore-signals'; signals: Signal[] }
  /**
   * Reports `signal` with `signal` and continues; with `run`, the script is dropped and these steps run instead, to
   * exit 0.
   */
  | { do: 'on-signal'; signals: Signal[]; run?: Step[] }
  // Processes
  /** Starts another fake agent and reports `grandchild` with `pid` once it runs its `steps` (default: hang). */
  | {
      do: 'grandchild';
      /** Its own session and process group, out of reach of a signal to the agent's group. */
      detached?: boolean;
      ignoreSignals?: Signal[];
      /** It holds the agent's stdout and stderr open. */
      keepStdout?: boolean;
      steps?: Step[];
    }
  /** Closes file descriptor 3, on which a parent may wait. */
  | { do: 'ready' }
  /** Reports `process` with `pid`, `ppid`, `argv` (after the script's path), `cwd` and `env`. */
  | { do: 'describe' }
  /** Appends to a file, for what must be seen without the pipes. */
  | { do: 'append'; path: string; text: string }
  // Flow
  | { do: 'repeat'; times: number; steps: Step[] }
  /** The n-th process that uses this file runs the n-th list; the last list serves all later ones. */
  | { do: 'by-attempt'; counterFile: string; attempts: Step[][] }
  // The live protocol
  | LiveStep
  /** Within a turn: prints the request and waits for its answer. */
  | { do: 'ask'; event: Asking; allowed?: Step[]; denied?: Step[] }
  /** Within a turn: waits for a `steer` message. */
  | { do: 'await-steer' }
  /** Within `live`: prints `{"type":"ping","id"}` and waits for the codec's `{"pong":id}`. */
  | { do: 'ping'; id: string };

/**
 * Reads JSON lines from stdin until it ends: `{"hello":{...}}`, `{"turn":text}`, `{"steer":text}`, `{"interrupt":true}`,
 * `{"approve":id}`, `{"deny":id}`, `{"answer":id,"answers":{...}}`, `{"pong":id}`, `{"model":id}`, `{"mode":word}`.
 * The last two are reported as `setting`. A message is kept until a step waits for it.
 */
export interface LiveStep {
  do: 'live';
  /** On `hello`; default a `session_start` with the id that it carries, or `{{session}}`. */
  hello?: Step[];
  /** The n-th turn runs the n-th list; the last list serves all later ones. */
  turns: Step[][];
  /**
   * Replaces the rest of an interrupted turn; default `interrupted` and a `turn_end`. Empty: the turn never ends.
   * `ignore`: it continues.
   */
  onInterrupt?: Step[] | 'ignore';
}
