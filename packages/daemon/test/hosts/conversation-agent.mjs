// The process of `conversation-adapter.ts`. A resumable conversation is a file below HOME; any other is in memory.
import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const { shape, resumes, exitMs, session, fork } = JSON.parse(process.argv[2] ?? '{}');
const folder = join(process.env.HOME ?? '.', '.conversations');
mkdirSync(folder, { recursive: true });
/** @type {Map<string, { id: string | null, messages: string[] }>} */
const channels = new Map();

if (shape === 'once') {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const opened = open(session, fork);
  for (const event of opened.events) emit(event);
  for (const event of runTurn(opened.conversation, Buffer.concat(chunks).toString())) emit(event);
} else {
  createInterface({ input: process.stdin })
    .on('line', (line) => receive(JSON.parse(line)))
    .on('close', () => setTimeout(() => process.exit(0), exitMs));
}

/** @param {any} message */
function receive(message) {
  const { channel } = message;
  /** @param {object} event */
  const say = (event) => emit({ channel, event });
  if (message.open) {
    const { conversation, events } = open(message.open.session, message.open.fork);
    channels.set(channel, conversation);
    for (const event of events) say(event);
  } else if (message.turn !== undefined) {
    const conversation = channels.get(channel);
    if (conversation) for (const event of runTurn(conversation, message.turn)) say(event);
  } else if (message.close) {
    channels.delete(channel);
    if (shape === 'stays') process.exit(0);
  }
}

/** @param {string | null} id @param {string | null} from */
function open(id, from) {
  const source = id ?? from;
  const messages = source ? JSON.parse(readFileSync(join(folder, source), 'utf8')) : [];
  const conversation = { id: resumes ? (id ?? randomUUID()) : null, messages };
  save(conversation);
  return { conversation, events: conversation.id ? [{ type: 'session_start', sessionId: conversation.id }] : [] };
}

/** @param {{ id: string | null, messages: string[] }} conversation @param {string} text */
function runTurn(conversation, text) {
  if (text.startsWith('fail ')) {
    process.stderr.write(`the job says no to ${text}\n`);
    process.exit(Number(text.slice(5)));
  }
  conversation.messages.push(text);
  save(conversation);
  appendFileSync(join(folder, 'received'), `${text}\n`);
  // Never answers, and ignores an interrupt.
  if (text === 'hang') return [];
  const delta = { type: 'text_delta', delta: conversation.messages.join('|') };
  return shape === 'once' ? [delta] : [delta, { type: 'turn_end', status: 'completed' }];
}

/** @param {{ id: string | null, messages: string[] }} conversation */
function save({ id, messages }) {
  if (id) writeFileSync(join(folder, id), JSON.stringify(messages));
}

/** @param {object} message */
function emit(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
