import type { DaemonClient, Session, SessionEvent } from '@agent-mux/api';
import { AgentMuxError, makeVisible, messageOf, summarizeRequest } from '@agent-mux/core/light';
import { onBrokenPipe } from '../broken-pipe.ts';
import { type Given, isOn } from '../command.ts';
import { withDaemon } from '../daemon/open.ts';
import { titleOf } from '../daemon/session-table.ts';
import { headline, paintState, stateWords } from '../daemon/words.ts';
import { EXIT, exitCodeOf } from '../exit-codes.ts';
import { tellFailure } from '../failure.ts';
import { AskingPerson } from '../run/ask-person.ts';
import type { Answerer } from '../run/asking.ts';
import { showWaiting } from '../run/terminal/show-waiting.ts';
import { openTerminal } from '../run/terminal/terminal.ts';
import { TextView } from '../run/text-view.ts';
import { Footer } from '../screen/footer.ts';
import { toOneLine } from '../screen/plain.ts';
import { Screen } from '../screen/screen.ts';
import { attachTerminal } from './agent-screen.ts';
import { Leaving } from './leaving.ts';
import { OpenRequests } from './open-requests.ts';
import { fromWholeTurn, pastFrom } from './past.ts';
import { isAgentEvent, SessionView } from './session-view.ts';
import { Typing } from './typing.ts';

/** Shows a session as `amux run` shows a run, for as long as somebody wants to see it. */
export async function attachSession(given: Given, id: string): Promise<number> {
  return withDaemon(async (daemon) => {
    const session = await daemon.sessions.get(id);
    if (session.origin === 'terminal') return attachTerminal(daemon, session);
    return new Attachment(daemon, session).show(isOn(given, 'all'));
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
  readonly #answerer: Answerer;
  readonly #over = new AbortController();
  readonly #leaving: Leaving;
  readonly #typing: Typing | undefined;
  readonly #waiting: ReturnType<typeof showWaiting>;
  /** Shown up to here before anybody is asked anything. */
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
      ? new AskingPerson({ answers: this.#requests, terminal: person, screen, tools: text.tools, name: session.agent })
      : { event: (event) => this.#tellRequest(event) };
    const leave = () => this.#over.abort();
    this.#leaving = new Leaving({
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
    this.#typing = isTyped ? new Typing({ daemon, session: session.id, terminal: person, screen, leave }) : undefined;
    this.#waiting = this.#footer ? showWaiting(this.#footer, person, session.agent, screen.paint) : undefined;
    if (!isBusy(session)) this.#waiting?.pause();
  }

  async show(all: boolean): Promise<number> {
    const { lastSeq, id, isTerminated } = this.#session;
    const after = pastFrom(lastSeq, all);
    this.#announce(after);
    let past: SessionEvent[] | undefined = [];
    try {
      if (lastSeq === -1) await this.#becomeLive();
      const stream = this.#daemon.sessions.followBatches(id, {
        after,
        signal: this.#over.signal,
        patienceMs: Number.POSITIVE_INFINITY,
        onConnection: (isUp) => this.#tellConnection(isUp),
        // Nothing more is to come of what has ended.
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
    const state = stateWords(session);
    const { agent, cwd } = session;
    const words = headline(
      { agent, title: titleOf(session), cwd },
      { paint, width: this.#screen.width - state.length - 3, home: process.env.HOME },
    );
    this.#screen.line(`${paintState(session, state, paint)}  ${words}`);
    if (after >= 0)
      this.#screen.note(`only the last part of it is shown; amux attach ${session.id.slice(0, 8)} --all shows all`);
    if (this.#typing) this.#screen.note('Enter sends, Ctrl-D leaves, /help tells the keys');
  }

  async #show(event: SessionEvent): Promise<void> {
    this.#leaving.event(event);
    this.#typing?.event(event);
    if (isAgentEvent(event)) this.#waiting?.event(event);
    await this.#view.event(event);
    if (event.type === 'turn_end' || event.type === 'run_result') this.#waiting?.pause();
  }

  /** The past is shown: what is open is asked, and a line may be typed. */
  async #becomeLive(): Promise<void> {
    this.#isLive = true;
    if (this.#over.signal.aborted) return;
    if (!this.#leaving.inTurn && this.#session.activity !== 'spawning') this.#waiting?.pause();
    this.#typing?.begin();
    await this.#askOpen();
  }

  /** Whatever is open and was not asked here yet. A daemon that has gone is asked again when it is back. */
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
      const isElsewhere = this.#requests.resolved(event.requestId) && event.by === 'caller';
      this.#answerer.event(event);
      if (isElsewhere) this.#screen.note(`answered elsewhere: ${event.outcome}`);
    } else if (event.type === 'run_result' || event.type === 'keeper_lost') await this.#afterLaunch();
  }

  async #afterLaunch(): Promise<void> {
    const session = await this.#daemon.sessions.get(this.#session.id).catch(ignorePassing);
    if (session?.isTerminated) this.#over.abort();
    else if (session?.parked) this.#screen.note('it is parked: the next message brings it back');
  }

  /** Nobody can be asked here; it waits for somebody elsewhere. */
  #tellRequest(event: Parameters<Answerer['event']>[0]): void {
    if (event.type !== 'approval_request' && event.type !== 'input_required') return;
    const what =
      event.type === 'approval_request'
        ? summarizeRequest(event).title
        : event.questions.map(({ question }) => makeVisible(question)).join(' · ');
    this.#screen.loud(`${this.#screen.paint.yellow('?')} waits for an answer (amux inbox): ${toOneLine(what, 300)}`);
  }

  #tellConnection(isUp: boolean): void {
    if (isUp === this.#isUp || this.#over.signal.aborted) return;
    this.#isUp = isUp;
    this.#screen.note(
      isUp ? 'the daemon is back' : 'the daemon is gone; the session goes on, and so does this when it is back',
    );
    if (isUp && this.#isLive) this.#askOpen().catch((error: unknown) => this.#screen.note(messageOf(error)));
  }

  async #close(): Promise<number> {
    this.#person?.close();
    this.#screen.finish();
    const short = this.#session.id.slice(0, 8);
    const now = await this.#daemon.sessions.get(this.#session.id).catch(() => undefined);
    if (now && !now.isTerminated) {
      this.#screen.note(`left; the session stays: amux attach ${short}`);
      return EXIT.ok;
    }
    this.#screen.note(now ? `it has ended: amux restore ${short} brings it back` : 'the session is not there any more');
    if (!now?.error) return EXIT.ok;
    const exitCode = exitCodeOf(now.error.code);
    tellFailure({ message: now.error.message, hint: now.error.hint, exitCode });
    return exitCode;
  }
}

/** The same may succeed when the daemon is back. */
function mayPass(error: unknown): boolean {
  return error instanceof AgentMuxError && error.retryable;
}

function ignorePassing(error: unknown): undefined {
  if (!mayPass(error)) throw error;
}

function isBusy({ activity }: Session): boolean {
  return activity === 'active' || activity === 'spawning';
}
