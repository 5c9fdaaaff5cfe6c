// Output of the fake agent, with its variables filled in.
// @ts-check
import { writeSync } from 'node:fs';

/** @typedef {import('./steps.ts').Step} Step */

export const WRITE_SIZE = 64 * 1024;
const ENDINGS = { lf: '\n', crlf: '\r\n', none: '' };

/** @type {Record<string, string>} */
export const vars = { session: 'fake-session', n: '0' };

/** @param {string | Buffer} data @param {'stdout' | 'stderr'} [to] @returns {Promise<void>} */
export function write(data, to = 'stdout') {
  return new Promise((done) => process[to].write(data, () => done()));
}

/** @param {string} type @param {Record<string, unknown>} fields */
export function report(type, fields) {
  return write(`${JSON.stringify({ type, ...fields })}\n`);
}

/** @param {{ ending?: 'lf' | 'crlf' | 'none' }} step */
export function ending(step) {
  return ENDINGS[step.ending ?? 'lf'];
}

/** @param {string} text */
export function fill(text) {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name) => vars[name] ?? whole);
}

/** @param {unknown} value */
export function fillJson(value) {
  return JSON.stringify(value).replace(/\{\{(\w+)\}\}/g, (whole, name) =>
    vars[name] === undefined ? whole : JSON.stringify(vars[name]).slice(1, -1),
  );
}

/** @param {Extract<Step, { do: 'huge-line' }>} step */
export async function hugeLine(step) {
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
export async function flood(step, signal) {
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

/** @param {string} problem @returns {never} */
export function fail(problem) {
  writeSync(2, `fake agent: ${problem}\n`);
  process.exit(64);
}
