import { closeSync, writeSync } from 'node:fs';
import { messageOf } from '@agent-mux/core';
import { readJsonLines } from '../keeper/json-lines.ts';
import { KeeperError, tellError } from '../keeper/keeper-error.ts';
import type { FromKeeper } from '../keeper/protocol.ts';

/** Where the one that starts it hears of the first session. */
const ANSWER = 3;

interface Holder {
  over: Promise<void>;
  leave(): void;
}

/**
 * A process that holds something for a daemon and outlives it: `node main <folder>`, what it is to hold as a line of JSON on
 * stdin, one answer on descriptor 3. It ends when that is over.
 */
export async function runAsHolder(open: (folder: string, launch: unknown) => Promise<Holder>): Promise<void> {
  const folder = process.argv[2];
  for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => {});
  // What goes wrong beside a run must not end it.
  process.on('uncaughtException', (error) => log(`uncaught: ${error.stack ?? error.message}`));
  process.on('unhandledRejection', (reason) => log(`unhandled: ${messageOf(reason)}`));
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    if (folder === undefined) throw new KeeperError('BAD_REQUEST', 'which folder?');
    const holder = await open(folder, await readFirstLine());
    process.on('SIGTERM', holder.leave);
    reply({ type: 'reply', id: 0, ok: true });
    await holder.over;
    process.exit(0);
  } catch (error) {
    log(messageOf(error));
    reply({ type: 'reply', id: 0, ok: false, error: tellError(error) });
    process.exit(1);
  }
}

async function readFirstLine(): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  readJsonLines(process.stdin, { value: resolve, fault: (problem) => reject(new KeeperError('BAD_REQUEST', problem)) });
  process.stdin.on('end', () => reject(new KeeperError('BAD_REQUEST', 'no launch was handed over')));
  const value = await promise;
  process.stdin.destroy();
  return value;
}

/** Whoever waited for it may be gone. */
function reply(answer: FromKeeper): void {
  try {
    writeSync(ANSWER, `${JSON.stringify(answer)}\n`);
    closeSync(ANSWER);
  } catch {
    // Then the next daemon finds the keeper by its record.
  }
}

function log(text: string): void {
  console.error(`${new Date().toISOString()} ${text}`);
}
