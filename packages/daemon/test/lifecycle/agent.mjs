/**
 * A fake agent for the lifecycle model. Before anything else, it appends every message that it receives, with its
 * conversation, to a record below its home. Kinds differ in their adapter options and in these arguments:
 *   --no-id      a conversation ends with its process
 *   --once       the prompt is stdin; --session ID and --fork ID name the conversation
 *   --job        with --once: a failure is an exit code, not an event
 * A message is "ID VERB": quick, hold (until released or interrupted), ask (for approval), fail.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    'no-id': { type: 'boolean', default: false },
    once: { type: 'boolean', default: false },
    job: { type: 'boolean', default: false },
    session: { type: 'string' },
    fork: { type: 'string' },
  },
});
const folder = join(process.env.HOME ?? '.', '.lifecycle');
const hasId = !values['no-id'];
const RELEASE_POLL_MS = 25;

if (values.once) runOnce(readFileSync(0, 'utf8').trim());
else serve();

/** One process per message. */
async function runOnce(text) {
  const conversation = open({ session: values.session, fork: values.fork });
  const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
  if (hasId) say({ type: 'session_start', sessionId: conversation.id });
  const status = await runTurn(conversation, text, { say, interrupted: () => false, ask: async () => true });
  if (values.job) process.exitCode = status === 'failed' ? 7 : 0;
  else emitEnd(say, status);
}

/** One process for many messages, and for many conversations if it is shared: each has a channel. */
function serve() {
  const channels = new Map();
  createInterface({ input: process.stdin })
    .on('line', (line) => {
      const { channel, ...message } = JSON.parse(line);
      const say = (event) => process.stdout.write(`${JSON.stringify({ channel, ...event })}\n`);
      if (message.hello) {
        const conversation = open(message.hello);
        channels.set(channel, { conversation, say, turns: Promise.resolve(), answers: new Map(), interrupts: 0 });
        say({ type: 'session_start', ...(hasId ? { sessionId: conversation.id } : {}) });
        return;
      }
      const known = channels.get(channel);
      if (!known) return;
      if (message.turn !== undefined) known.turns = known.turns.then(() => answerTurn(known, message.turn));
      else if (message.answer) known.answers.get(message.answer)?.(message.allowed);
      else if (message.interrupt) known.interrupts += 1;
    })
    .on('close', () => process.exit(0));
}

async function answerTurn(known, text) {
  const before = known.interrupts;
  const interrupted = () => known.interrupts > before;
  const ask = async (id) => {
    const requestId = `ask-${id}`;
    const options = [
      { id: 'yes', label: 'Yes', kind: 'allow_once' },
      { id: 'no', label: 'No', kind: 'deny_once' },
    ];
    const answered = new Promise((resolve) => known.answers.set(requestId, resolve));
    known.say({ type: 'approval_request', requestId, toolName: 'shell', title: `run ${id}`, kind: 'execute', options });
    return Promise.race([answered, until(interrupted)]);
  };
  const status = await runTurn(known.conversation, text, { say: known.say, interrupted, ask });
  emitEnd(known.say, status);
}

function emitEnd(say, status) {
  if (status === 'interrupted') say({ type: 'interrupted', by: 'caller' });
  if (status === 'failed') say({ type: 'error', code: 'AGENT_ERROR', message: 'failed on request', recoverable: true });
  say({ type: 'turn_end', status });
}

async function runTurn(conversation, text, { say, interrupted, ask }) {
  const [id, verb] = text.split(' ');
  const entry = { message: id, verb, conversation: conversation.id, history: conversation.messages, pid: process.pid };
  appendFileSync(join(folder, 'record.jsonl'), `${JSON.stringify(entry)}\n`);
  conversation.messages = [...conversation.messages, id];
  save(conversation);
  say({ type: 'text_delta', delta: `got ${id}` });
  const isReleased = () => existsSync(join(folder, `release-${id}`));
  if (verb === 'hold') await until(() => interrupted() || isReleased());
  if (verb === 'ask') await ask(id);
  if (interrupted()) return 'interrupted';
  return verb === 'fail' ? 'failed' : 'completed';
}

async function until(matches) {
  while (!matches()) await new Promise((resolve) => setTimeout(resolve, RELEASE_POLL_MS));
}

function open({ session, fork }) {
  if (hasId && session) return JSON.parse(readFileSync(pathOf(session), 'utf8'));
  const messages = hasId && fork ? JSON.parse(readFileSync(pathOf(fork), 'utf8')).messages : [];
  const conversation = { id: randomUUID(), messages };
  save(conversation);
  return conversation;
}

function pathOf(id) {
  return join(folder, 'conversations', `${id}.json`);
}

/** Atomic, since the process may be killed at any time. */
function save(conversation) {
  if (!hasId) return;
  mkdirSync(join(folder, 'conversations'), { recursive: true });
  const fresh = `${pathOf(conversation.id)}.${process.pid}`;
  writeFileSync(fresh, JSON.stringify(conversation));
  renameSync(fresh, pathOf(conversation.id));
}
