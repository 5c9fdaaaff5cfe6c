import { createInputWriter, type DaemonClient, type Session, type TerminalMessage } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core/light';
import { EXIT } from '../exit-codes.ts';
import { printInfo } from '../output.ts';
import { toOneLine } from '../screen/plain.ts';
import { UsageError } from '../usage-error.ts';

/** Ctrl-], as in telnet: few programs use it. */
const LEAVE = '\x1d';
const BELL = '\x07';
const OWN_SCREEN = '\x1b[?1049h';
const CLEAR = '\x1b[0m\x1b[H\x1b[2J';
/** Resets everything an agent may have switched on (keys, mouse, paste and focus reports, colors, cursor) and restores the screen. */
const RESTORE = [
  ...[
    '1',
    '5',
    '6',
    '45',
    '66',
    '69',
    '1000',
    '1002',
    '1003',
    '1004',
    '1005',
    '1006',
    '1015',
    '1016',
    '2004',
    '2026',
  ].map((mode) => `\x1b[?${mode}l`),
  '\x1b[4l\x1b[20l\x1b[?7h\x1b[r\x1b(B\x0f\x1b[>4m\x1b[<u\x1b>\x1b[0m\x1b[0 q\x1b[?25h\x1b[?1049l',
].join('');

/** Shows the agent's own screen: every key goes to the agent, except the one that detaches. */
export async function attachTerminal(daemon: DaemonClient, session: Session): Promise<number> {
  if (session.isTerminated) return showLast(daemon, session);
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY)
    throw new UsageError(
      'this session runs in a terminal: attach from a terminal',
      `run "amux events ${session.id.slice(0, 8)}" to see what its hooks report`,
    );
  return new AgentScreen(daemon, session.id).show();
}

/** The last screen of a program that has exited. */
async function showLast(daemon: DaemonClient, { id }: Session): Promise<number> {
  const { data, exit } = await daemon.terminals.screen(id);
  process.stdout.write(`${data}\x1b[0m\x1b[?25h\r\n`);
  printInfo(
    `  the program has exited${exit?.code ? ` with code ${exit.code}` : ''}: run "amux restore ${id.slice(0, 8)}" to restore the session`,
  );
  return EXIT.ok;
}

class AgentScreen {
  readonly #daemon: DaemonClient;
  readonly #id: string;
  readonly #viewer = `terminal-${process.pid}`;
  readonly #over = new AbortController();
  readonly #typing;
  #exit: Extract<TerminalMessage, { type: 'ended' }>['exit'] | undefined;
  #writer: string | null = null;
  #issue: string | undefined;

  constructor(daemon: DaemonClient, id: string) {
    this.#daemon = daemon;
    this.#id = id;
    this.#typing = createInputWriter({
      send: (data) => daemon.terminals.write(id, this.#viewer, data),
      onError: () => process.stdout.write(BELL),
    });
  }

  async show(): Promise<number> {
    const { stdin, stdout } = process;
    const leave = () => this.#over.abort();
    stdin.setRawMode(true);
    stdin.setEncoding('utf8');
    stdin.on('data', this.#onKeys);
    stdin.on('end', leave);
    stdout.on('resize', this.#sendSize);
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.once(signal, leave);
    stdout.write(OWN_SCREEN + CLEAR);
    try {
      const stream = this.#daemon.terminals.watch(this.#id, this.#viewer, {
        signal: this.#over.signal,
        patienceMs: Number.POSITIVE_INFINITY,
        onConnection: (isUp) => {
          if (!isUp && !this.#over.signal.aborted)
            stdout.write(
              `\r\n\x1b[0mthe daemon is down; the agent keeps running, and this reconnects when the daemon is back (Ctrl-] detaches)`,
            );
        },
      });
      for await (const batch of stream) for (const message of batch) await this.#take(message);
    } catch (error) {
      if (!this.#over.signal.aborted) this.#issue = messageOf(error);
    } finally {
      stdin.off('data', this.#onKeys);
      stdout.off('resize', this.#sendSize);
      stdin.setRawMode(false);
      stdin.pause();
      stdout.write(RESTORE);
      for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.off(signal, leave);
    }
    return this.#close();
  }

  readonly #onKeys = (data: string) => {
    const at = data.indexOf(LEAVE);
    this.#typing.type(at === -1 ? data : data.slice(0, at));
    if (at !== -1) this.#over.abort();
  };

  readonly #sendSize = () => {
    const { columns: cols, rows } = process.stdout;
    if (cols > 0 && rows > 0)
      void this.#daemon.terminals.resize(this.#id, this.#viewer, { cols, rows }).catch(() => {});
  };

  async #take(message: TerminalMessage): Promise<void> {
    const { stdout } = process;
    switch (message.type) {
      case 'screen':
        stdout.write(CLEAR + message.data);
        this.#sendSize();
        // Attaching claims the keyboard.
        await this.#daemon.terminals.claim(this.#id, this.#viewer).catch(() => {});
        break;
      case 'data':
        stdout.write(message.data);
        break;
      case 'writer':
        this.#writer = message.writer;
        break;
      case 'rejected':
        stdout.write(BELL);
        break;
      case 'ended':
        this.#exit = message.exit;
        break;
      case 'size':
        break;
    }
  }

  #close(): number {
    const short = this.#id.slice(0, 8);
    if (this.#exit) printInfo(`  the program has exited${this.#exit.code ? ` with code ${this.#exit.code}` : ''}`);
    else if (this.#issue !== undefined) {
      printInfo(`  the screen is no longer shown: ${toOneLine(this.#issue, 300)}`);
      return EXIT.failure;
    } else {
      const wasTakenOver = this.#writer !== null && this.#writer !== this.#viewer;
      printInfo(
        `  detached; the session keeps running: run "amux attach ${short}"${wasTakenOver ? ' to take the keyboard back' : ''}`,
      );
    }
    return EXIT.ok;
  }
}
