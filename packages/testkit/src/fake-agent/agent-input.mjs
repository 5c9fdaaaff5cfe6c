// Input of the fake agent: stdin as chunks, lines, or a whole.
// @ts-check
import { createHash } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { report, vars, WRITE_SIZE } from './agent-output.mjs';

/** @typedef {import('./steps.ts').Step} Step */

/** @type {AsyncIterator<Buffer> | undefined} */
let chunks;
/** @type {Buffer[]} */
let unread = [];
let stdinClosed = false;
/** @type {Promise<string | null> | undefined} */
let pendingLine;

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
export async function nextLine() {
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
export async function readLine(step, signal) {
  const wanted = new RegExp(step.match ?? '');
  let line = await lineOrAbort(signal);
  while (line !== null && !wanted.test(line)) line = await lineOrAbort(signal);
  if (signal.aborted) return;
  if (line !== null) vars.line = line;
  if (step.echo) await report('stdin', { line });
}

export async function readAll() {
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

export async function closeStdin() {
  stdinClosed = true;
  unread = [];
  if (chunks) {
    const closed = new Promise((done) => process.stdin.once('close', done));
    process.stdin.destroy();
    await closed;
  }
  // Node never closes a standard stream's descriptor on its own; the next opened file would take its number.
  closeSync(0);
  if (process.platform !== 'win32') openSync('/dev/null', 'r');
  await report('stdin_closed', {});
}
