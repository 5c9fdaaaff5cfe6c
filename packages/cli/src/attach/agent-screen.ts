import { type DaemonClient, makeTyping, type Session, type TerminalMessage } from '@agent-mux/api';
import { messageOf } from '@agent-mux/core/light';
import { EXIT } from '../exit-codes.ts';
import { tell } from '../output.ts';
import { toOneLine } from '../screen/plain.ts';
import { UsageError } from '../usage-error.ts';

/** Ctrl-] as with telnet: hardly a program wants it. */
const LEAVE = '\x1d';
const BELL = '\x07';
const OWN_SCREEN = '\x1b[?1049h';
const CLEAR = '\x1b[0m\x1b[H\x1b[2J';
/** Whatever the agent has switched on: keys, mouse, paste and focus reports, colours, the cursor; then the screen as it was before. */
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

/** The agent's own screen on this terminal: every key is the agent's, but the one that leaves. */
export async function attachTerminal(daemon: DaemonClient, session: Session): Promise<number> {
  if (session.isTerminated) return showLast(daemon, session);
  const { stdin, stdout } = process;
  if (!stdin.isTTY || !stdout.isTTY)
    throw new UsageError(
      'the session is in a terminal, and needs one to be shown',
      `amux events ${session.id.slice(0, 8)} tells what its hooks report`,
    );
  return new AgentScreen(daemon, session.id).show();
}

/** As it was when its program ended. */
async function showLast(daemon: DaemonClient, { id }: Session): Promise<number> {
  const { data, exit } = await daemon.terminals.screen(id);
  process.stdout.write(`${data}\x1b[0m\x1b[?25h\r\n`);
  tell(
    `  its program has ended${exit?.code ? ` with code ${exit.code}` : ''}: amux restore ${id.slice(0, 8)} brings the session back`,
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
  #fault: string | undefined;

  constructor(daemon: DaemonClient, id: string) {
    this.#daemon = daemon;
    this.#id = id;
    this.#typing = makeTyping({
      send: (data) => daemon.terminals.type(id, this.#viewer, data),
      onFault: () => process.stdout.write(BELL),
    });
  }

  async show(): Promise<number> {
    const { stdin, stdout } = process;
    const leave = () => this.#over.abort();
    stdin.setRawMode(true);
    stdin.setEncoding('utf8');
    stdin.on('data', this.#onKeys);
    stdin.on('end', leave);
    stdout.on('resize', this.#tellSize);
    for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.once(signal, leave);
    stdout.write(OWN_SCREEN + CLEAR);
    try {
      const stream = this.#daemon.terminals.watch(this.#id, this.#viewer, {
        signal: this.#over.signal,
        patienceMs: Number.POSITIVE_INFINITY,
        onConnection: (isUp) => {
          if (!isUp && !this.#over.signal.aborted)
            stdout.write(
              `\r\n\x1b[0mthe daemon is gone; the agent goes on, and so does this when it is back (Ctrl-] leaves)`,
            );
        },
      });
      for await (const batch of stream) for (const message of batch) await this.#take(message);
    } catch (error) {
      if (!this.#over.signal.aborted) this.#fault = messageOf(error);
    } finally {
      stdin.off('data', this.#onKeys);
      stdout.off('resize', this.#tellSize);
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

  readonly #tellSize = () => {
    const { columns: cols, rows } = process.stdout;
    if (cols > 0 && rows > 0) void this.#daemon.terminals.size(this.#id, this.#viewer, { cols, rows }).catch(() => {});
  };

  async #take(message: TerminalMessage): Promise<void> {
    const { stdout } = process;
    switch (message.type) {
      case 'screen':
        stdout.write(CLEAR + message.data);
        this.#tellSize();
        // Whoever sits down at a terminal means to type there.
        await this.#daemon.terminals.claim(this.#id, this.#viewer).catch(() => {});
        break;
      case 'data':
        stdout.write(message.data);
        break;
      case 'writer':
        this.#writer = message.writer;
        break;
      case 'refused':
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
    if (this.#exit) tell(`  its program has ended${this.#exit.code ? ` with code ${this.#exit.code}` : ''}`);
    else if (this.#fault !== undefined) {
      tell(`  the screen is not shown any more: ${toOneLine(this.#fault, 300)}`);
      return EXIT.failure;
    } else {
      const isElsewhere = this.#writer !== null && this.#writer !== this.#viewer;
      tell(`  left; the session stays: amux attach ${short}${isElsewhere ? ' takes the keyboard back' : ''}`);
    }
    return EXIT.ok;
  }
}
