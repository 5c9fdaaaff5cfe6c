import type { ErrorCode } from '../contract/errors.ts';
import type { AgentEvent, EventBody } from '../contract/events.ts';
import { LIMITATIONS, type Limitation } from '../contract/limitations.ts';
import { failureOf, isTransient } from '../contract/retry.ts';
import { withResetTime } from '../limits/limit-event.ts';
import { redactError } from '../redact/secrets.ts';
import type { EndCause } from './ending.ts';
import type { RunParts } from './parts.ts';
import { causeOf } from './turns/failure.ts';
import { missingFile } from './turns/output-files.ts';
import { MAX_RESULT_TEXT_CHARS } from './turns/result.ts';

/** Events that an agent may still report while it is closing. */
const CLOSING_EVENTS: ReadonlySet<string> = new Set([
  'cost',
  'context_usage',
  'rate_limit_status',
  'title',
  'debug',
  'log',
]);

/** Receives the events of the agent, orders them and publishes them to the readers. */
export class EventProcessor {
  readonly #run: RunParts;
  /** For the chunk being processed: size of each of its events, and arrival time. */
  #weight = 0;
  #now: number | undefined;
  readonly #warned = new Set<Limitation>();

  constructor(run: RunParts) {
    this.#run = run;
  }

  get now(): number {
    return this.#now ?? Date.now();
  }

  receive(bodies: EventBody[], raw: string | undefined, bytes: number): void {
    const { options, phases, sequence, connection, log } = this.#run;
    const { generation } = connection;
    const shown = options.includeRaw ? raw : undefined;
    this.#weight = Math.ceil(bytes / bodies.length);
    this.#now = Date.now();
    for (const body of bodies) {
      if (!phases.isEnding) this.#process(body, shown);
      else if (isClosingEvent(body)) sequence.write(body, shown);
      if (generation !== connection.generation) break;
    }
    this.#weight = 0;
    this.#now = undefined;
    this.#reportCutText();
    if (log.full && !phases.isEnding) connection.pause();
  }

  /** Publishes every event of the run, from any source, after it has its sequence number. */
  publish(event: AgentEvent): void {
    const { context, fold, log, listeners, watchdogs } = this.#run;
    // Nearly all events are text, which is passed unchanged and only means that no tool is running.
    const isText = event.type === 'text_delta';
    if (!isText) redactError(event, context.secrets);
    fold.take(event);
    log.push(event, this.#weight);
    if (isText) watchdogs.noteTools('none');
    else this.#notice(event);
    listeners.emit(event);
  }

  #notice(event: AgentEvent): void {
    const { sequence, turns, watchdogs } = this.#run;
    switch (event.type) {
      case 'tool_result':
      case 'tool_error':
      case 'mcp_tool_result':
      case 'mcp_tool_error':
        watchdogs.noteTools(sequence.openTools > 0 ? 'running' : 'after');
        break;
      case 'tool_call_ready':
      case 'mcp_tool_call_start':
        watchdogs.noteTools('running');
        break;
      case 'turn_start':
        turns.noticeStart();
        break;
    }
  }

  #process(body: EventBody, raw: string | undefined): void {
    const { mode, sequence, turns } = this.#run;
    const turn = turns.current;
    if (mode.passthrough && isWholeEvent(body)) {
      turn.isProductive = true;
      sequence.pass(body);
      if (body.type === 'turn_end') turns.leave();
    } else if (body.type === 'text_delta') {
      turn.isProductive = true;
      // The agent has recovered from any earlier failure.
      turn.failure = undefined;
      sequence.write(body, raw);
    } else this.#processOther(body, raw);
  }

  #processOther(body: EventBody, raw: string | undefined): void {
    const { options, sequence, requests, turns, phases, background } = this.#run;
    const turn = turns.current;
    switch (body.type) {
      case 'tool_call_start':
      case 'tool_call_ready':
      case 'mcp_tool_call_start':
        turn.isProductive = true;
        turn.failure = undefined;
        break;
      case 'approval_request':
      case 'input_required':
        sequence.fillKind(body);
        requests.ask(body, raw);
        return;
      case 'approval_resolved':
      case 'input_resolved':
        requests.withdraw(body, raw);
        return;
      case 'turn_end':
        turns.end(body, raw);
        return;
      case 'file_output': {
        const problem = missingFile(body, options);
        if (problem === undefined) break;
        turn.lacksFile = true;
        sequence.write({ type: 'error', code: 'AGENT_ERROR', message: problem, recoverable: false }, raw);
        return;
      }
      case 'interrupted':
        if (turn.interruptReported) return;
        turn.interruptReported = true;
        break;
      case 'subagent_start':
      case 'subagent_end':
        background.take(body, phases.is('turn'));
        break;
      case 'rate_limit_error':
        this.#processFailure(withResetTime(body, Date.now()), raw);
        return;
      case 'auth_error':
      case 'context_exceeded':
      case 'error':
        this.#processFailure(body, raw);
        return;
    }
    sequence.write(body, raw);
    this.#warnOfLimitation(body);
  }

  /** Warns about limitations of a mode where they matter: once per run for tools, for every interrupted turn. */
  #warnOfLimitation(body: EventBody): void {
    const { limitations = [] } = this.#run.mode;
    if (limitations.length === 0) return;
    for (const limitation of limitationsShownBy(body)) {
      if (!limitations.includes(limitation) || this.#warned.has(limitation)) continue;
      if (body.type !== 'interrupted') this.#warned.add(limitation);
      const code = limitation.replaceAll('-', '_');
      this.#run.sequence.write({ type: 'debug', level: 'warn', code, message: LIMITATIONS[limitation] });
    }
  }

  #processFailure(body: EventBody & { message: string }, raw: string | undefined): void {
    const { sequence, ending, retries, turns } = this.#run;
    sequence.write(ending.explain(body), raw);
    const cause = causeOf(body);
    if (!cause) return;
    turns.current.failure = body;
    const end = this.#endOfAttempt(body, cause.code);
    if (end && !retries.tryAgain(body)) void ending.finishFailed(end);
  }

  /** Some failures end the attempt although no turn has ended. */
  #endOfAttempt(body: EventBody, code: ErrorCode): EndCause | undefined {
    const { connection, phases } = this.#run;
    // The CLI would keep retrying for minutes or forever. Only the engine retries.
    if (body.type === 'rate_limit_error' && body.retrying) return { kill: true };
    // A refused login stays refused, however often a CLI retries; a live agent is stopped by its codec.
    if (body.type === 'auth_error' && connection.turnEndsWithProcess && phases.is('turn')) return { kill: true };
    // The handshake failed: no turn was sent whose end could report it.
    const isFatal = isTransient(code) || failureOf(body)?.recoverable === false;
    return isFatal && connection.isHandshaking ? {} : undefined;
  }

  #reportCutText(): void {
    const { fold, turns } = this.#run;
    if (fold.omittedTextChars === 0 || turns.current.cutReported) return;
    turns.current.cutReported = true;
    const message = `the result text was cut after ${MAX_RESULT_TEXT_CHARS} characters; the event stream has all of it`;
    const data = { keptChars: MAX_RESULT_TEXT_CHARS };
    this.#run.note({ type: 'debug', level: 'warn', code: 'text_truncated', message, data });
  }
}

function isClosingEvent(body: EventBody): boolean {
  return CLOSING_EVENTS.has(body.type) || (body.type === 'error' && body.recoverable);
}

function isWholeEvent(body: EventBody): body is AgentEvent {
  return 'seq' in body && 'runId' in body;
}

function limitationsShownBy(body: EventBody): readonly Limitation[] {
  if (body.type === 'interrupted') return ['interrupted-turn-forgotten'];
  if (body.type !== 'tool_result' && body.type !== 'mcp_tool_result') return [];
  return body.output === '' ? ['tool-output-hidden', 'tool-failure-hidden'] : ['tool-failure-hidden'];
}
