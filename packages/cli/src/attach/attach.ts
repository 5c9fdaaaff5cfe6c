import type { DaemonClient, Session, SessionEvent } from '@agent-mux/api';
import { AgentMuxError, escapeControls, messageOf, summarizeRequest } from '@agent-mux/core/light';
import { onBrokenPipe } from '../broken-pipe.ts';
import { hasFlag, type ParsedArgs } from '../command.ts';
import { formatState, headline, paintState } from '../daemon/format.ts';
import { withDaemon } from '../daemon/open.ts';
import { titleOf } from '../daemon/session-table.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import { printFailure } from '../failure.ts';
import { UserPrompter } from '../run/prompt-user.ts';
import type { RequestHandler } from '../run/request-handlers.ts';
import { showWaiting } from '../run/terminal/show-waiting.ts';
import { openTerminal } from '../run/terminal/terminal.ts';
import { TextView } from '../run/text-view.ts';
import { Footer } from '../screen/footer.ts';
import { toOneLine } from '../screen/plain.ts';
import { Screen } from '../screen/screen.ts';
import { attachTerminal } from './agent-screen.ts';
import { fromWholeTurn, readBacklog } from './backlog.ts';
import { DetachHandler } from './leaving.ts';
import { OpenRequests } from './open-requests.ts';
import { isAgentEvent, SessionView } from './session-view.ts';
import { AttachInput } from './typing.ts';

/** Shows a session like `amux run` shows a run, until the user detaches. */
export async function attachSession(args: ParsedArgs, id: string): Promise<number> {
  return withDaemon(async (daemon) => {
    const session = await daemon.sessions.get(id);
    if (session.origin === 'terminal') return attachTerminal(daemon, session);
    return new Attachment(daemon, session).show(hasFlag(args, 'all'));
  });
}

class Attachment {
  readonly #daemon: DaemonClient;
  readonly #session: Session;
  readonly #person = openTerminal();
  readonly #footer: Footer | undefined;
  readonly #screen: Screen;
  readonly #view: SessionView;
  readonly #requests: OpenRequests;
  readonly #answerer: RequestHandler;
  readonly #over = new AbortController();
  readonly #leaving: DetachHandler;
  readonly #typing: AttachInput | undefined;
  readonly #waiting: ReturnType<typeof showWaiting>;
  /** Events up to here are shown before requests are asked. */
  readonly #pastEnd: number;
  readonly #asked = new Set<string>();
  #isLive = false;
  #isUp = true;

  constructor(daemon: DaemonClient, session: Session) {
    this.#daemon = daemon;
    this.#session = session;
    this.#pastEnd = session.lastSeq;
    const person = this.#person;
    this.#footer = person?.footer ?? (process.stderr.isTTY ? new Footer(process.stderr) : undefined);
    const screen = new Screen(process.stdout, process.stderr, { footer: this.#footer });
    this.#screen = screen;
    if (person) person.echo = (line) => screen.loud(line);
    const text = new TextView(screen, { debug: false, interactive: true });
    this.#view = new SessionView(screen, text);
    this.#requests = new OpenRequests(daemon, session.id, (line) => screen.note(line));
    this.#answerer = person
      ? new UserPrompter({ answers: this.#requests, terminal: person, screen, tools: text.tools, name: session.agent })
      : { event: (event) => this.#showRequest(event) };
    const leave = () => this.#over.abort();
    this.#leaving = new DetachHandler({
      interrupt: () => daemon.sessions.interrupt(session.id),
      leave,
      say: (line) => screen.note(line),
      clearLine: () => {
        if (!person || person.draft === '') return false;
        person.clearDraft();
        return true;
      },
    });
    onBrokenPipe(leave);
    const isTyped = person !== undefined && !person.isPlain && !session.isTerminated;
    this.#typing = isTyped
      ? new AttachInput({ daemon, session: session.id, terminal: person, screen, leave })
      : undefined;
    this.#waiting = this.#footer ? showWaiting(this.#footer, person, session.agent, screen.paint) : undefined;
    if (!isBusy(session)) this.#waiting?.pause();
  }

  async show(all: boolean): Promise<number> {
    const { lastSeq, id, isTerminated } = this.#session;
    const after = readBacklog(lastSeq, all);
    this.#announce(after);
    let past: SessionEvent[] | undefined = [];
    try {
      if (lastSeq === -1) await this.#becomeLive();
      const stream = this.#daemon.sessions.followBatches(id, {
        after,
        signal: this.#over.signal,
        patienceMs: Number.POSITIVE_INFINITY,
        onConnection: (isUp) => this.#showConnection(isUp),
        // An ended session emits no more events.
        ...(isTerminated ? { until: 'end' as const } : {}),
      });
      for await (const batch of stream) {
        for (const { value } of batch) {
          if (past && value.seq <= this.#pastEnd) {
            past.push(value);
            if (value.seq < this.#pastEnd) continue;
            for (const event of after === -1 ? past : fromWholeTurn(past)) await this.#show(event);
            past = undefined;
            await this.#becomeLive();
          } else await this.#live(value);
        }
        if (this.#over.signal.aborted) break;
      }
      return await this.#close();
    } finally {
      this.#leaving.stop();
      this.#waiting?.stop();
      this.#person?.close();
      this.#footer?.clear();
    }
  }

  #announce(after: number): void {
    const { paint } = this.#screen;
    const session = this.#session;
    const state = formatState(session);
    const { agent, cwd } = session;
    const summary = headline(
      { agent, title: titleOf(session), cwd },
      { paint, width: this.#screen.width - state.length - 3, home: process.env.HOME },
    );
    this.#screen.line(`${paintState(session, state, paint)}  ${summary}`);
    if (after >= 0)
      this.#screen.note(`only the last part is shown; run "amux attach ${session.id.slice(0, 8)} --all" for all of it`);
    if (this.#typing) this.#screen.note('Enter sends, Ctrl-D detaches, /help lists the keys');
  }

  async #show(event: SessionEvent): Promise<void> {
    this.#leaving.event(event);
    this.#typing?.event(event);
    if (isAgentEvent(event)) this.#waiting?.event(event);
    await this.#view.event(event);
    if (event.type === 'turn_end' || event.type === 'run_result') this.#waiting?.pause();
  }

  /** Called when the past is shown: asks open requests and enables typing. */
  async #becomeLive(): Promise<void> {
    this.#isLive = true;
    if (this.#over.signal.aborted) return;
    if (!this.#leaving.inTurn && this.#session.activity !== 'spawning') this.#waiting?.pause();
    this.#typing?.start();
    await this.#askOpen();
  }

  /** Asks open requests that were not asked here yet; retries when the daemon is back. */
  async #askOpen(): Promise<void> {
    try {
      for (const event of await this.#requests.refresh()) {
        if (this.#asked.has(event.requestId)) continue;
        this.#asked.add(event.requestId);
        this.#answerer.event(event);
      }
    } catch (error) {
      if (!mayPass(error)) throw error;
    }
  }

  async #live(event: SessionEvent): Promise<void> {
    await this.#show(event);
    if (event.type === 'approval_request' || event.type === 'input_required') await this.#askOpen();
    else if (event.type === 'approval_resolved' || event.type === 'input_resolved') {
      this.#asked.delete(event.requestId);
      const isRemote = this.#requests.resolved(event.requestId) && event.by === 'caller';
      this.#answerer.event(event);
      if (isRemote) this.#screen.note(`answered by another client: ${event.outcome}`);
    } else if (event.type === 'run_result' || event.type === 'keeper_lost') await this.#afterLaunch();
  }

  async #afterLaunch(): Promise<void> {
    const session = await this.#daemon.sessions.get(this.#session.id).catch(ignorePassing);
    if (session?.isTerminated) this.#over.abort();
    else if (session?.parked) this.#screen.note('parked: the next message resumes it');
  }

  /** Without a terminal, requests are only shown; another client can answer them. */
  #showRequest(event: Parameters<RequestHandler['event']>[0]): void {
    if (event.type !== 'approval_request' && event.type !== 'input_required') return;
    const what =
      event.type === 'approval_request'
        ? summarizeRequest(event).title
        : event.questions.map(({ question }) => escapeControls(question)).join(' · ');
    this.#screen.loud(`${this.#screen.paint.yellow('?')} needs an answer (amux inbox): ${toOneLine(what, 300)}`);
  }

  #showConnection(isUp: boolean): void {
    if (isUp === this.#isUp || this.#over.signal.aborted) return;
    this.#isUp = isUp;
    this.#screen.note(
      isUp
        ? 'the daemon is back'
        : 'the daemon is down; the session keeps running, and this reconnects when the daemon is back',
    );
    if (isUp && this.#isLive) this.#askOpen().catch((error: unknown) => this.#screen.note(messageOf(error)));
  }

  async #close(): Promise<number> {
    this.#person?.close();
    this.#screen.finish();
    const short = this.#session.id.slice(0, 8);
    const now = await this.#daemon.sessions.get(this.#session.id).catch(() => undefined);
    if (now && !now.isTerminated) {
      this.#screen.note(`detached; the session keeps running: run "amux attach ${short}" to attach again`);
      return EXIT.ok;
    }
    this.#screen.note(
      now ? `the session has ended: run "amux restore ${short}" to restore it` : 'the session no longer exists',
    );
    if (!now?.error) return EXIT.ok;
    const exitCode = exitCodeOf(now.error.code);
    printFailure({ message: now.error.message, hint: now.error.hint, exitCode });
    return exitCode;
  }
}

/** Whether a retry may succeed once the daemon is back. */
function mayPass(error: unknown): boolean {
  return error instanceof AgentMuxError && error.retryable;
}

function ignorePassing(error: unknown): undefined {
  if (!mayPass(error)) throw error;
}

function isBusy({ activity }: Session): boolean {
  return activity === 'active' || activity === 'spawning';
}
