import { createInterface } from 'node:readline';

/** Each line of stdin as JSON, and a line of JSON to stdout. */
export const hear = (onMessage) =>
  createInterface({ input: process.stdin }).on('line', (line) => onMessage(JSON.parse(line)));
export const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
