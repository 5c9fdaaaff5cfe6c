import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { isAbsolute } from 'node:path';
import type tty from 'node:tty';
import type { SpawnArgs, TerminalSize } from '../contract/adapter.ts';
import { AgentMuxError } from '../contract/errors.ts';
import { isRecord } from '../values.ts';
import type { IoSink, ProcessExit, ProcessIo } from './process-io.ts';

/** Wide enough for most lines: programs wrap or cut theirs at the edge. */
const DEFAULT_TERMINAL: TerminalSize = { cols: 120, rows: 40 };

const PACKAGE = '@lydell/node-pty';
const END_OF_INPUT = '\x04';
const INTERRUPT = '\x03';

export interface PtyProcess extends ProcessIo {
  resize(size: TerminalSize): void;
}

export interface PtyOptions {
  /** Echo of typed text, as for a person. Without it the output comes only from the program. Default true. */
  echo?: boolean;
}

/** The part of the package that is used here. */
interface NodePty {
  spawn(
    file: string,
    args: string[],
    options: TerminalSize & { name: string; cwd: string; env: Record<string, string>; encoding: null },
  ): Terminal;
}
interface Terminal {
  readonly pid: number;
  onData(listener: (data: Buffer) => void): unknown;
  onExit(listener: (exit: { exitCode: number; signal?: number }) => void): unknown;
  write(data: string): void;
  resize(cols: number, rows: number): void;
  pause(): void;
  resume(): void;
  kill(): void;
}

/** Loads the optional package, or throws an error that says how to install it. */
export function requirePty(who: string, load: (name: string) => unknown = createRequire(import.meta.url)): NodePty {
  let problem: string;
  let cause: unknown;
  try {
    const loaded = load(PACKAGE);
    if (isNodePty(loaded)) return loaded;
    problem = 'is invalid';
  } catch (error) {
    cause = error;
    const missing =
      isRecord(error) && error.code === 'MODULE_NOT_FOUND' && String(error.message).includes(`'${PACKAGE}'`);
    problem = missing ? 'is not installed' : 'does not work on this machine';
  }
  const message = `${who} needs a terminal, and the optional package ${PACKAGE}, which opens one, ${problem}`;
  const hint = `run "npm install ${PACKAGE}" (with its optional dependencies, which contain the binary for this platform)`;
  throw new AgentMuxError('SPAWN_ERROR', message, { hint, cause, data: { package: PACKAGE } });
}

function isNodePty(value: unknown): value is NodePty {
  return isRecord(value) && typeof value.spawn === 'function';
}

/** A process on its own terminal: one stream for all its output; input ends only by a key. */
export function openPty(plan: SpawnArgs, sink: IoSink, options: PtyOptions = {}): PtyProcess {
  const pty = requirePty(plan.command);
  const unseen = options.echo === false && process.platform !== 'win32';
  let terminal: Terminal;
  try {
    checkStart(plan);
    const [file, ...args] = unseen ? withoutEcho(plan) : argvOf(plan);
    terminal = pty.spawn(file, args, {
      ...(plan.terminal ?? DEFAULT_TERMINAL),
      name: plan.env.TERM && plan.env.TERM !== 'dumb' ? plan.env.TERM : 'xterm-256color',
      cwd: plan.cwd,
      env: plan.env,
      encoding: null,
    });
  } catch (error) {
    return failToStart(sink, error instanceof Error ? error : new Error(String(error)));
  }

  let paused = false;
  let over = false;
  let typed = '';
  let inputClosed = false;
  // Input typed before the echo is off would be shown.
  let held: string[] | undefined = unseen ? [] : undefined;
  let opening = Buffer.alloc(0);
  const type = (data: string) => {
    if (over || data === '') return;
    typed = data;
    if (held) held.push(data);
    else terminal.write(data);
  };

  terminal.onData((chunk) => {
    if (!held) {
      sink.data('stdout', chunk);
      return;
    }
    opening = Buffer.concat([opening, chunk]);
    const at = opening.indexOf(ECHO_IS_OFF);
    if (at < 0) return;
    const rest = opening.subarray(at + ECHO_IS_OFF.length);
    const waiting = held;
    held = undefined;
    for (const data of waiting) terminal.write(data);
    if (rest.length > 0) sink.data('stdout', rest);
  });
  const stream = keepOpen(terminal, () => sink.left());
  terminal.onExit(({ exitCode, signal }) => {
    over = true;
    // It ended before the program started: the shell's output is all there is.
    if (held && opening.length > 0) sink.data('stdout', opening);
    sink.ended('stdout');
    sink.exited(exitOf(exitCode, signal));
  });

  return {
    pid: terminal.pid,
    sources: ['stdout'],
    get paused() {
      return paused;
    },
    write: type,
    closeInput: () => {
      // The key works at the start of a line; after other text it only submits that text.
      if (inputClosed || typed === '') return;
      inputClosed = true;
      type(/[\r\n]$/.test(typed) ? END_OF_INPUT : END_OF_INPUT + END_OF_INPUT);
    },
    pause: () => {
      paused = true;
      if (!over) terminal.pause();
    },
    resume: () => {
      paused = false;
      if (!over) terminal.resume();
    },
    keepHost: (wanted) => stream?.keepHost(wanted),
    interrupt: () => type(INTERRUPT),
    drop: () => (stream ? stream.drop() : terminal.kill()),
    resize: ({ cols, rows }) => {
      if (!over) terminal.resize(cols, rows);
    },
  };
}

/** Printed by the shell once the terminal is set up; a sequence that no terminal knows. */
const ECHO_IS_OFF = Buffer.from('\x1b]agent-mux;ready\x07');
const SET_TERMINAL = `stty -echo 2>/dev/null; printf '\\033]agent-mux;ready\\007'; exec "$@"`;

function withoutEcho(plan: SpawnArgs): [string, ...string[]] {
  return ['/bin/sh', '-c', SET_TERMINAL, 'sh', ...argvOf(plan)];
}

function argvOf({ command, args, shell }: SpawnArgs): [string, ...string[]] {
  return shell ? ['/bin/sh', '-c', [command, ...args].join(' ')] : [command, ...args];
}

/** The package reports neither: its child would print an error on the terminal and exit. */
function checkStart({ command, cwd, shell }: SpawnArgs): void {
  for (const path of [cwd, ...(isAbsolute(command) && !shell ? [command] : [])]) {
    if (!existsSync(path)) throw Object.assign(new Error(`spawn ${path} ENOENT`), { code: 'ENOENT', path });
  }
}

/**
 * The package (1.1.0) destroys its stream 200 ms after the exit, read or not. A paused reader or a busy process would
 * lose the end of the output, so the stream stays open until its end was read or `drop` is called. Undefined if the
 * stream is not found: then the package's behavior is unchanged.
 */
function keepOpen(terminal: Terminal, left: () => void): { drop(): void; keepHost(wanted: boolean): void } | undefined {
  const stream: unknown = Reflect.get(terminal, '_socket');
  // Not imported: that would load Node's sockets for every command.
  const { ReadStream }: typeof tty = process.getBuiltinModule('node:tty');
  if (!(stream instanceof ReadStream)) return undefined;
  const destroy = stream.destroy.bind(stream);
  stream.destroy = (error?: Error) => {
    if (error || stream.readableEnded) return destroy(error);
    left();
    return stream;
  };
  // With a second listener the package does not throw into the host.
  stream.on('error', () => {});
  return { drop: () => void destroy(), keepHost: (wanted) => void (wanted ? stream.ref() : stream.unref()) };
}

function exitOf(exitCode: number, signal: number | undefined): ProcessExit {
  if (!signal) return { code: exitCode, signal: null };
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0];
  return { code: null, signal: (name as NodeJS.Signals | undefined) ?? 'SIGKILL' };
}

function failToStart(sink: IoSink, spawnError: Error): PtyProcess {
  setImmediate(() => sink.exited({ code: null, signal: null, spawnError }));
  const nothing = () => {};
  return {
    pid: undefined,
    sources: ['stdout'],
    paused: false,
    write: nothing,
    closeInput: nothing,
    pause: nothing,
    resume: nothing,
    keepHost: nothing,
    interrupt: nothing,
    drop: nothing,
    resize: nothing,
  };
}
