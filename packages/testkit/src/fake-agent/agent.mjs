// The fake agent: runs the steps of `steps.ts`. Plain JavaScript with nothing but node's own modules, so that it starts
// as fast as node does and needs no build.
// @ts-check
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** @typedef {import('./steps.ts').Step} Step */
/** @typedef {Record<string, unknown>} Message */

/** No fake agent outlives this, however badly a test ends. */
const MAX_LIFETIME_MS = 10 * 60_000;
const WRITE_SIZE = 64 * 1024;
const ENDINGS = { lf: '\n', crlf: '\r\n', none: '' };
const READY_FD = 3;
/** @type {Step[]} */
const HELLO = [{ do: 'event', event: { type: 'session_start', sessionId: '{{session}}' } }];
/** @type {Step[]} */
const INTERRUPTED = [
  { do: 'event', event: { type: 'interrupted', by: 'caller' } },
  { do: 'event', event: { type: 'turn_end', status: 'interrupted' } },
];

/** @type {Record<string, string>} */
const vars = { session: 'fake-session', n: '0' };
const script = readArguments(process.argv.slice(2));
let main = new AbortController();
/** @type {ReturnType<typeof openMailbox> | undefined} */
let mailbox;
/** @type {AsyncIterator<Buffer> | undefined} */
let chunks;
/** @type {Buffer[]} */
let unread = [];
let stdinClosed = false;
/** @type {Promise<string | null> | undefined} */
let pendingLine;

setTimeout(() => process.exit(124), MAX_LIFETIME_MS).unref();
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => process.exit(141));
await runToEnd(script);

/** @param {Step[]} steps */
async function runToEnd(steps) {
  const { signal } = main;
  await run(steps, signal);
  if (!signal.aborted) process.exit(0);
}

/** @param {string[]} args @returns {Step[]} */
function readArguments(args) {
  let source = process.env.FAKE_AGENT_SCRIPT;
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--script') source = args[++i];
    else if (args[i] === '--script-file') source = readFileSync(args[++i] ?? '', 'utf8');
    else if (args[i] === '--var') {
      const [name = '', ...value] = (args[++i] ?? '').split('=');
      vars[name] = value.join('=');
    }
  }
  if (!source) {
    return fail('no --script, --script-file or FAKE_AGENT_SCRIPT');
  }
  return JSON.parse(source);
}

/** @param {string} problem @returns {never} */
function fail(problem) {
  writeSync(2, `fake agent: ${problem}\n`);
  process.exit(64);
}

/** @param {readonly Step[]} steps @param {AbortSignal} signal */
async function run(steps, signal) {
  for (const step of steps) {
    if (signal.aborted) return;
    await perform(step, signal);
  }
}

/** @param {Step} step @param {AbortSignal} signal @returns {Promise<unknown>} */
async function perform(step, signal) {
  switch (step.do) {
    case 'line':
      return write(fill(step.text) + ending(step), step.to);
    case 'event':
      return write(fillJson(step.event) + ending(step), step.to);
    case 'half-event': {
      const whole = fillJson(step.event);
      await write(whole.slice(0, whole.length >> 1));
      return process.exit(step.exitCode);
    }
    case 'bytes':
      return write(Buffer.from(step.base64, 'base64'), step.to);
    case 'chunks': {
      const bytes = Buffer.from(fill(step.text) + ending(step));
      for (let at = 0; at < bytes.length && !signal.aborted; at += step.size) {
        if (at > 0) await sleep(step.delayMs, signal);
        await write(bytes.subarray(at, at + step.size), step.to);
      }
      return;
    }
    case 'huge-line':
      return hugeLine(step);
    case 'flood':
      return flood(step, signal);
    case 'read-line':
      return readLine(step, signal);
    case 'read-all':
      return readAll();
    case 'close-stdin':
      return closeStdin();
    case 'wait':
      return sleep(step.ms, signal);
    case 'hang':
      return sleep(MAX_LIFETIME_MS, signal);
    case 'exit':
      return process.exit(step.code);
    case 'kill-self':
      process.removeAllListeners(step.signal);
      process.kill(process.pid, step.signal);
      return sleep(MAX_LIFETIME_MS, signal);
    case 'ignore-signals':
      for (const name of step.signals) process.removeAllListeners(name).on(name, () => {});
      return;
    case 'on-signal':
      for (const name of step.signals) process.removeAllListeners(name).on(name, () => void onSignal(name, step.run));
      return;
    case 'grandchild':
      return grandchild(step);
    case 'ready':
      return closeSync(READY_FD);
    case 'describe': {
      const { pid, ppid, env } = process;
      return report('process', { pid, ppid, argv: process.argv.slice(2), cwd: process.cwd(), env });
    }
    case 'append':
      return appendFileSync(step.path, fill(step.text));
    case 'repeat':
      for (let i = 0; i < step.times && !signal.aborted; i++) {
        vars.i = String(i);
        await run(step.steps, signal);
      }
      return;
    case 'by-attempt': {
      appendFileSync(step.counterFile, '.');
      return run(nth(step.attempts, statSync(step.counterFile).size - 1), signal);
    }
    case 'live':
      return live(step, signal);
    case 'ask':
      return ask(step, signal);
    case 'await-steer': {
      const message = await mailbox?.take((m) => 'steer' in m, signal);
      if (message) vars.steer = String(message.steer);
      return;
    }
    case 'ping':
      await report('ping', { id: step.id });
      return mailbox?.take((m) => m.pong === step.id, signal);
    default:
      return fail(`unknown step ${JSON.stringify(step)}`);
  }
}

// Output

/** @param {string | Buffer} data @param {'stdout' | 'stderr'} [to] @returns {Promise<void>} */
function write(data, to = 'stdout') {
  return new Promise((done) => process[to].write(data, () => done()));
}

/** @param {string} type @param {Record<string, unknown>} fields */
function report(type, fields) {
  return write(`${JSON.stringify({ type, ...fields })}\n`);
}

/** @param {{ ending?: 'lf' | 'crlf' | 'none' }} step */
function ending(step) {
  return ENDINGS[step.ending ?? 'lf'];
}

/** @param {string} text */
function fill(text) {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name) => vars[name] ?? whole);
}

/** @param {unknown} value */
function fillJson(value) {
  return JSON.stringify(value).replace(/\{\{(\w+)\}\}/g, (whole, name) =>
    vars[name] === undefined ? whole : JSON.stringify(vars[name]).slice(1, -1),
  );
}

/** @param {Extract<Step, { do: 'huge-line' }>} step */
async function hugeLine(step) {
  const head = '{"type":"text_delta","delta":"';
  const tail = '"}';
  const block = Buffer.alloc(WRITE_SIZE, 'x');
  await write(head, step.to);
  for (let left = step.bytes - head.length - tail.length; left > 0; left -= block.length) {
    await write(left < block.length ? block.subarray(0, left) : block, step.to);
  }
  await write(tail + ending(step), step.to);
}

/** @param {Extract<Step, { do: 'flood' }>} step @param {AbortSignal} signal */
async function flood(step, signal) {
  const head = '{"type":"text_delta","delta":"';
  const padding = 'x'.repeat(step.bytes);
  let batch = '';
  for (let n = 0; n < step.lines && !signal.aborted; n++) {
    const start = `${head}${n} `;
    batch += `${start}${padding.slice(0, Math.max(0, step.bytes - start.length - 2))}"}\n`;
    if (batch.length >= WRITE_SIZE) {
      await write(batch, step.to);
      batch = '';
    }
  }
  if (batch) await write(batch, step.to);
}

// Time and signals

/** @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
function sleep(ms, signal) {
  return delay(ms, undefined, { signal }).catch(() => {});
}

/** @param {string} name @param {Step[]} [steps] */
async function onSignal(name, steps) {
  vars.signal = name;
  if (steps) main.abort();
  await report('signal', { signal: name });
  if (!steps) return;
  main = new AbortController();
  await runToEnd(steps);
}

// Input

/** @returns {Promise<Buffer | undefined>} */
async function nextChunk() {
  const kept = unread.shift();
  if (kept) return kept;
  if (stdinClosed) return undefined;
  chunks ??= process.stdin[Symbol.asyncIterator]();
  const next = await chunks.next();
  return next.done ? undefined : next.value;
}

/** @returns {Promise<string | null>} A line without its newline; null at the end of stdin. */
async function nextLine() {
  /** @type {Buffer[]} */
  const parts = [];
  for (let chunk = await nextChunk(); chunk; chunk = await nextChunk()) {
    const at = chunk.indexOf(10);
    if (at === -1) {
      parts.push(chunk);
      continue;
    }
    parts.push(chunk.subarray(0, at));
    if (at + 1 < chunk.length) unread.unshift(chunk.subarray(at + 1));
    return Buffer.concat(parts).toString();
  }
  return parts.length > 0 ? Buffer.concat(parts).toString() : null;
}

/** A line that was waited for in vain goes to the next one who asks. @param {AbortSignal} signal */
function lineOrAbort(signal) {
  pendingLine ??= nextLine().finally(() => {
    pendingLine = undefined;
  });
  return Promise.race([pendingLine, aborted(signal)]);
}

/** @param {AbortSignal} signal @returns {Promise<null>} */
function aborted(signal) {
  return new Promise((done) => signal.addEventListener('abort', () => done(null), { once: true }));
}

/** @param {Extract<Step, { do: 'read-line' }>} step @param {AbortSignal} signal */
async function readLine(step, signal) {
  if (mailbox) fail('read-line within live');
  const wanted = new RegExp(step.match ?? '');
  let line = await lineOrAbort(signal);
  while (line !== null && !wanted.test(line)) line = await lineOrAbort(signal);
  if (signal.aborted) return;
  if (line !== null) vars.line = line;
  if (step.echo) await report('stdin', { line });
}

async function readAll() {
  const hash = createHash('sha256');
  let bytes = 0;
  /** @type {Buffer[]} */
  const start = [];
  for (let chunk = await nextChunk(); chunk; chunk = await nextChunk()) {
    hash.update(chunk);
    bytes += chunk.length;
    if (bytes <= WRITE_SIZE) start.push(chunk);
  }
  vars.stdin = Buffer.concat(start).toString();
  await report('stdin_end', { bytes, sha256: hash.digest('hex') });
}

async function closeStdin() {
  stdinClosed = true;
  unread = [];
  if (chunks) {
    const closed = new Promise((done) => process.stdin.once('close', done));
    process.stdin.destroy();
    await closed;
  }
  // Node never closes a standard stream's descriptor by itself; the next file to be opened would take its number.
  closeSync(0);
  if (process.platform !== 'win32') openSync('/dev/null', 'r');
  await report('stdin_closed', {});
}

// Processes

/** @param {Extract<Step, { do: 'grandchild' }>} step */
async function grandchild(step) {
  const steps = [
    ...(step.ignoreSignals ? [{ do: 'ignore-signals', signals: step.ignoreSignals }] : []),
    { do: 'ready' },
    ...(step.steps ?? [{ do: 'hang' }]),
  ];
  const output = step.keepStdout ? 'inherit' : 'ignore';
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), '--script', JSON.stringify(steps)], {
    detached: step.detached ?? false,
    stdio: ['ignore', output, output, 'pipe'],
  });
  const gate = /** @type {import('node:net').Socket} */ (child.stdio[READY_FD]);
  await new Promise((ready) => gate.once('end', ready).resume());
  child.unref();
  await report('grandchild', { pid: child.pid });
}

// The live protocol

function openMailbox() {
  /** @type {Message[]} */
  const kept = [];
  /** @type {Set<() => void>} */
  const waiting = new Set();
  let ended = false;
  const wake = () => {
    for (const retry of [...waiting]) retry();
  };
  return {
    /** @param {Message} message */
    put(message) {
      kept.push(message);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    /** Null when stdin has ended or the turn is interrupted. @param {(message: Message) => boolean} wanted @param {AbortSignal} signal @returns {Promise<Message | null>} */
    take(wanted, signal) {
      return new Promise((done) => {
        const retry = () => {
          const at = signal.aborted ? -1 : kept.findIndex(wanted);
          if (at === -1 && !ended && !signal.aborted) return;
          waiting.delete(retry);
          signal.removeEventListener('abort', retry);
          done(at === -1 ? null : (kept.splice(at, 1)[0] ?? null));
        };
        waiting.add(retry);
        signal.addEventListener('abort', retry);
        retry();
      });
    },
  };
}

/** @param {import('./steps.ts').LiveStep} step @param {AbortSignal} signal */
async function live(step, signal) {
  const box = openMailbox();
  mailbox = box;
  /** @type {AbortController | undefined} */
  let turn;
  const pump = async () => {
    for (let line = await nextLine(); line !== null; line = await nextLine()) {
      const message = JSON.parse(line);
      if (message.interrupt) {
        if (step.onInterrupt !== 'ignore') turn?.abort();
      } else if ('model' in message || 'mode' in message) {
        Object.assign(vars, message);
        await report('setting', message);
      } else box.put(message);
    }
    box.end();
  };
  void pump();
  for (let index = 0; ; ) {
    const message = await box.take((m) => 'hello' in m || 'turn' in m, signal);
    if (!message) break;
    if ('hello' in message) {
      Object.assign(vars, message.hello);
      await run(step.hello ?? HELLO, signal);
      continue;
    }
    turn = new AbortController();
    vars.turn = String(message.turn);
    vars.n = String(index);
    await run(nth(step.turns, index++), AbortSignal.any([signal, turn.signal]));
    const { aborted: interrupted } = turn.signal;
    turn = undefined;
    if (interrupted && step.onInterrupt !== 'ignore') await run(step.onInterrupt ?? INTERRUPTED, signal);
  }
  mailbox = undefined;
}

/** @param {Extract<Step, { do: 'ask' }>} step @param {AbortSignal} signal */
async function ask(step, signal) {
  const id = fill(step.event.requestId);
  await write(`${fillJson(step.event)}\n`);
  const message = await mailbox?.take((m) => [m.approve, m.answer, m.deny].includes(id), signal);
  if (signal.aborted) return;
  vars.answer = JSON.stringify(message ?? null);
  await run((message && !('deny' in message) ? step.allowed : step.denied) ?? [], signal);
}

/** @param {Step[][]} lists @param {number} index @returns {Step[]} */
function nth(lists, index) {
  return lists[Math.min(index, lists.length - 1)] ?? [];
}
