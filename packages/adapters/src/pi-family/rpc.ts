import type { EventBody, LiveCodec, ResolvedRunOptions, TurnInput } from '@agent-mux/core';
import { entryOf, type Json, jsonLine, parseRecord, record, setEntry, word } from '../shared/json.ts';
import { effortChanged, effortRefused } from '../shared/thinking.ts';
import { decodeEvent, endTurn } from './decode.ts';
import type { PiDialect } from './dialect.ts';
import { readFailure } from './failure.ts';
import { modelName } from './messages.ts';
import { decodeRequest, encodeAnswer } from './requests.ts';
import { openState, type PiState, type Sent } from './state.ts';

/** `--mode rpc`: commands as lines of JSON in, responses and events out. One process, one session at a time. */
export function rpcCodec(dialect: PiDialect): LiveCodec<PiState, string, string> {
  return {
    open: (options: ResolvedRunOptions) => openState(options, dialect),
    handshake: (state) => [command(state, 'state', { type: 'get_state' })],
    turn(input, state) {
      state.interrupting = false;
      const late = dialect.clearsQueue ? {} : { streamingBehavior: 'followUp' };
      return [command(state, 'turn', { type: 'prompt', ...late, ...content(input) })];
    },
    decode(line, state, { turnActive }) {
      const message = parseRecord(line);
      if (!message) return { events: undecodedEvents(line, state) };
      if (message.type === 'response') return decodeResponse(message, state, dialect);
      if (message.type === 'extension_ui_request') return { events: decodeRequest(message, state, dialect) };
      if (message.type === 'agent_start' && !turnActive && !dialect.clearsQueue) {
        state.stray = true;
        return { events: [], replies: [command(state, 'other', { type: 'abort' })] };
      }
      if (state.stray) {
        state.stray = !dialect.isSettled(message);
        return { events: [] };
      }
      if (message.type === 'prompt_result') return { events: unrun(message, state, dialect) };
      const events = decodeEvent(message, state, dialect);
      if (!dialect.isSettled(message)) return { events };
      state.running = false;
      // Steering input that came too late starts a separate run, which belongs to this turn.
      const more = Object.values(state.sent).includes('steer');
      return { events: more ? events : [...events, ...endTurn(state, dialect)] };
    },
    resolve: (pending, answer, state) => encodeAnswer(pending.requestId, answer, state, dialect),
    // Queued inputs would survive the abort and go out with the next prompt.
    interrupt(state) {
      state.interrupting = true;
      const cleared = dialect.clearsQueue ? [command(state, 'other', { type: 'clear_queue' })] : [];
      return [...cleared, command(state, 'other', { type: 'abort' })];
    },
    // Unlike `steer`, whose input stays in the queue when the run has just ended, this is never lost.
    steer: (input, state) => [
      command(state, 'steer', { type: 'prompt', streamingBehavior: 'steer', ...content(input) }),
    ],
    setModel(model, state) {
      const cut = model.indexOf('/');
      const [provider, modelId] = cut === -1 ? ['', model] : [model.slice(0, cut), model.slice(cut + 1)];
      return [command(state, 'model', { type: 'set_model', provider, modelId })];
    },
  };
}

function command(state: PiState, sent: Sent, body: Json): string {
  state.sentCount += 1;
  const id = `mux-${state.sentCount}`;
  setEntry(state.sent, id, sent);
  return jsonLine({ id, ...body });
}

/** Images are sent, other files are mentioned: rpc does not read `@file`. */
function content(input: TurnInput): Json {
  const images: Json[] = [];
  const files: string[] = [];
  for (const { base64, mimeType, path } of input.attachments) {
    if (base64 === undefined) files.push(path);
    else images.push({ type: 'image', data: base64, mimeType });
  }
  const message = files.length === 0 ? input.text : [input.text, '', 'Attached files:', ...files].join('\n');
  return { message, ...(images.length > 0 ? { images } : {}) };
}

function decodeResponse(line: Json, state: PiState, dialect: PiDialect): { events: EventBody[]; replies?: string[] } {
  const id = word(line.id) ?? '';
  const sent = entryOf(state.sent, id);
  delete state.sent[id];
  const ok = line.success === true;
  const error = word(line.error) ?? 'no reason given';
  switch (sent) {
    case 'state':
      return { events: ok ? startSession(record(line.data), state) : failHandshake(error) };
    case 'turn':
      if (!ok) {
        state.failure = readFailure(error);
        return { events: endTurn(state, dialect) };
      }
      return takeAnswer(line, state, dialect);
    case 'steer':
      return ok ? takeAnswer(line, state, dialect) : { events: [refusal(line, error)] };
    case 'look': {
      // Nothing runs: an extension has consumed the input.
      const { isStreaming, isCompacting } = record(line.data);
      const idle = ok && isStreaming === false && isCompacting === false && !state.running;
      return { events: idle ? endTurn(state, dialect) : [] };
    }
    default:
      // Accepted at first and then refused: the second answer has the same id.
      if (!ok && line.command === 'prompt' && !state.running) {
        state.failure = readFailure(error);
        return { events: endTurn(state, dialect) };
      }
      return { events: ok ? [] : [refusal(line, error)] };
  }
}

/** Accepted does not mean started. An interrupt before the start had nothing to stop. */
function takeAnswer(line: Json, state: PiState, dialect: PiDialect): { events: EventBody[]; replies?: string[] } {
  if (state.interrupting) return { events: [], replies: [command(state, 'other', { type: 'abort' })] };
  if (state.running) return { events: [] };
  if (dialect.reportsIdleInput) return { events: unrun(record(line.data), state, dialect) };
  return { events: [], replies: [command(state, 'look', { type: 'get_state' })] };
}

/** A command of the agent itself, or of an extension, that makes no model request. */
function unrun(data: Json, state: PiState, dialect: PiDialect): EventBody[] {
  return data.agentInvoked === false && !state.running ? endTurn(state, dialect) : [];
}

function refusal(line: Json, error: string): EventBody {
  const message = `The agent refused ${word(line.command) ?? 'a command'}: ${error}`;
  return { type: 'error', code: 'AGENT_ERROR', message, recoverable: true };
}

function startSession(data: Json, state: PiState): EventBody[] {
  const sessionId = word(data.sessionId);
  // An id that is a prefix of another is not an id: the caller did not ask for that session.
  if (state.resumes && sessionId !== state.resumes && !/[/\\]|\.jsonl$/.test(state.resumes)) {
    return failHandshake(
      `Session ${state.resumes} not found; the agent would resume ${sessionId}.`,
      'SESSION_NOT_FOUND',
    );
  }
  state.announced = true;
  const native = record(data.model);
  const model = modelName(native.provider, native.id);
  const start: EventBody = {
    type: 'session_start',
    ...(sessionId ? { sessionId } : {}),
    ...(model ? { model } : {}),
  };
  return checkEffort(start, { level: word(data.thinkingLevel), model, reasons: native.reasoning }, state);
}

/** A model without reasoning gets no effort, one without the level the next that it has (pi 0.87, omp 18.2). */
function checkEffort(
  start: EventBody,
  is: { level: string | undefined; model: string | undefined; reasons: unknown },
  { effort }: PiState,
): EventBody[] {
  if (effort === undefined || effort === 'off' || is.level === effort) return [start];
  if (is.reasons === false || is.level === 'off')
    return [effortRefused(effort, is.model ?? 'of this session', []), { type: 'turn_end', status: 'failed' }];
  return is.level === undefined ? [start] : [start, effortChanged(effort, is.level)];
}

function failHandshake(message: string, code: 'AGENT_ERROR' | 'SESSION_NOT_FOUND' = 'AGENT_ERROR'): EventBody[] {
  return [
    { type: 'error', code, message, recoverable: false },
    { type: 'turn_end', status: 'failed' },
  ];
}

/**
 * The CLI asks on its terminal whether to fork a session of another folder; our first line then means no, and it exits.
 */
export function otherProject(line: string): EventBody | null {
  const found = /^Session found in different project: (.*)$/.exec(line);
  if (!found) return null;
  const message = `The session belongs to another folder: ${found[1]}`;
  return { type: 'error', code: 'SESSION_NOT_FOUND', message, recoverable: false };
}

function undecodedEvents(line: string, state: PiState): EventBody[] {
  const foreign = state.announced ? null : otherProject(line);
  return [foreign ?? { type: 'log', source: 'stdout', line }];
}
