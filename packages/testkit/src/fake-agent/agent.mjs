// The fake agent: runs the steps of `steps.ts`. Plain JavaScript with only node's own modules, so that it starts as
// fast as node does and needs no build.
// @ts-check
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { closeStdin, nextLine, readAll, readLine } from './agent-input.mjs';
import { openMailbox } from './agent-mailbox.mjs';
import { ending, fail, fill, fillJson, flood, hugeLine, report, vars, write } from './agent-output.mjs';

/** @typedef {import('./steps.ts').Step} Step */

/** No fake agent outlives this, however badly a test ends. */
const MAX_LIFETIME_MS = 10 * 60_000;
const READY_FD = 3;
/** @type {Step[]} */
const HELLO = [{ do: 'event', event: { type: 'session_start', sessionId: '{{session}}' } }];
/** @type {Step[]} */
const INTERRUPTED = [
  { do: 'event', event: { type: 'interrupted', by: 'caller' } },
  { do: 'event', event: { type: 'turn_end', status: 'interrupted' } },
];

const script = readArguments(process.argv.slice(2));
let main = new AbortController();
/** @type {ReturnType<typeof openMailbox> | undefined} */
let mailbox;

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
      if (mailbox) fail('read-line within live');
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
