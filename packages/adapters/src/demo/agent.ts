/** The demo agent's process: the external protocol on stdin and stdout, a script instead of a model. */
import { createInterface } from 'node:readline';
import { type ApprovalMode, Conversation, Stopped } from './conversation.ts';
import { failOnRequest } from './failures.ts';
import { DEFAULT_DEMO_MODEL } from './models.ts';
import { scenarioFor } from './scenarios.ts';
import { type DemoSession, findSession, forkSession, newSession, saveSession } from './session-store.ts';

interface Live {
  id: string;
  session: DemoSession | undefined;
  /** The requested session that does not exist. */
  missing: string | undefined;
  keep: boolean;
  approvalMode: ApprovalMode;
  files: string[];
  /** One for each running or queued turn. */
  stops: Set<AbortController>;
  waiting: Map<string, (answer: Record<string, unknown>) => void>;
  /** Turns run one after the other. */
  turns: Promise<void>;
}

type Message = Record<string, unknown>;

const speed = readSpeed();
const live = new Map<string, Live>();
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const HANDLERS: Readonly<Record<string, (message: Message, at: Live) => void>> = {
  'user.input': (message, at) => {
    const stop = new AbortController();
    at.stops.add(stop);
    at.turns = at.turns
      .then(() => takeTurn(at, text(message.content), stop.signal))
      .finally(() => at.stops.delete(stop));
  },
  'file.input': (message, at) => at.files.push(text(message.file_name)),
  'permission.response': (message, at) => at.waiting.get(text(message.request_id))?.(message),
  'question.answer': (message, at) => at.waiting.get(text(message.request_id))?.(message),
  stop: (_, at) => stopAll(at),
  'session.close': (_, at) => {
    stopAll(at);
    live.delete(at.id);
  },
};

createInterface({ input: process.stdin })
  .on('line', (line) => receive(parse(line)))
  .on('close', () => {
    for (const at of live.values()) stopAll(at);
  });
// The reader is gone.
process.stdout.on('error', () => process.exit(0));

function stopAll(at: Live): void {
  for (const stop of at.stops) stop.abort();
}

function receive(message: Message | undefined): void {
  const id = text(message?.session_id);
  if (!message || id === '') return;
  if (message.type === 'session.start') start(id, message);
  const at = live.get(id);
  if (at && typeof message.type === 'string') HANDLERS[message.type]?.(message, at);
}

function start(id: string, message: Message): void {
  const from = text(message.resume) || text(message.fork);
  const stored = from === '' ? undefined : findSession(from);
  const now = Date.now();
  const cwd = text(message.cwd) || process.cwd();
  const model = text(message.model);
  const fresh = from === '' ? newSession(cwd, model || DEFAULT_DEMO_MODEL, now) : undefined;
  const session = stored && text(message.fork) !== '' ? forkSession(stored, now) : (stored ?? fresh);
  if (session) {
    session.cwd = cwd;
    if (model !== '') session.model = model;
  }
  live.set(id, {
    id,
    session,
    missing: session ? undefined : from,
    keep: message.no_session !== true,
    approvalMode: approvalModeOf(message.approval_mode),
    files: [],
    stops: new Set(),
    waiting: new Map(),
    turns: Promise.resolve(),
  });
  if (session) send(id, { type: 'session.started', native_session_id: session.id, model: session.model });
}

async function takeTurn(at: Live, prompt: string, signal: AbortSignal): Promise<void> {
  const { session } = at;
  if (!session) {
    send(at.id, { type: 'error', code: 'session_not_found', message: `session ${at.missing} not found` });
    send(at.id, { type: 'turn.complete', status: 'failed' });
    return;
  }
  session.messages.push({ role: 'user', text: prompt, timestamp: Date.now() });
  // A turn that ends with its process can be resumed, too.
  if (at.keep) saveSession(session);
  const talk = new Conversation({
    session,
    prompt,
    files: at.files.splice(0),
    approvalMode: at.approvalMode,
    signal,
    send: (message) => send(at.id, message),
    speed,
    waiting: at.waiting,
  });
  const status = await play(talk);
  talk.finish();
  session.updatedAt = Date.now();
  if (at.keep) saveSession(session);
  send(at.id, { type: 'turn.complete', status });
}

async function play(talk: Conversation): Promise<'completed' | 'failed' | 'interrupted'> {
  try {
    if (await failOnRequest(talk)) return 'failed';
    await scenarioFor(talk.prompt)(talk);
    return 'completed';
  } catch (error) {
    if (error instanceof Stopped) return 'interrupted';
    talk.emit('error', { code: 'other', message: error instanceof Error ? error.message : String(error) });
    return 'failed';
  }
}

function send(session_id: string, message: Message): void {
  process.stdout.write(`${JSON.stringify({ ...message, session_id })}\n`);
}

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function approvalModeOf(value: unknown): ApprovalMode {
  const known: readonly ApprovalMode[] = ['accept-edits', 'plan', 'deny', 'yolo'];
  return known.find((mode) => mode === value) ?? 'prompt';
}

/** 1 is the pace of a human reader, 0 does not wait at all. */
function readSpeed(): number {
  if (process.argv.includes('--fast')) return 0.3;
  const speed = Number(process.env.DEMO_SPEED ?? 1);
  return Number.isFinite(speed) && speed >= 0 ? speed : 1;
}
