import { closeSync, writeSync } from 'node:fs';
import { messageOf } from '@agent-mux/core';
import { readJsonLines } from '../keeper/json-lines.ts';
import { KeeperError, toErrorInfo } from '../keeper/keeper-error.ts';
import type { KeeperMessage } from '../keeper/protocol.ts';

/** Descriptor on which the starting process receives the result. */
const REPLY_FD = 3;

interface RunningKeeper {
  over: Promise<void>;
  leave(): void;
}

/**
 * Runs a process that outlives the daemon: `node main <folder>`, the launch as one JSON line on stdin, one reply on
 * descriptor 3. Exits when the session or terminal has ended.
 */
export async function runKeeperProcess(
  open: (folder: string, launch: unknown) => Promise<RunningKeeper>,
): Promise<void> {
  const folder = process.argv[2];
  for (const signal of ['SIGHUP', 'SIGINT'] as const) process.on(signal, () => {});
  // An error outside a run must not end it.
  process.on('uncaughtException', (error) => log(`uncaught: ${error.stack ?? error.message}`));
  process.on('unhandledRejection', (reason) => log(`unhandled: ${messageOf(reason)}`));
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    if (folder === undefined) throw new KeeperError('BAD_REQUEST', 'missing argument: folder');
    const keeper = await open(folder, await readFirstLine());
    process.on('SIGTERM', keeper.leave);
    reply({ type: 'reply', id: 0, ok: true });
    await keeper.over;
    process.exit(0);
  } catch (error) {
    log(messageOf(error));
    reply({ type: 'reply', id: 0, ok: false, error: toErrorInfo(error) });
    process.exit(1);
  }
}

async function readFirstLine(): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  readJsonLines(process.stdin, { value: resolve, issue: (problem) => reject(new KeeperError('BAD_REQUEST', problem)) });
  process.stdin.on('end', () => reject(new KeeperError('BAD_REQUEST', 'no launch spec on stdin')));
  const value = await promise;
  process.stdin.destroy();
  return value;
}

/** The process that waits for the reply may have exited. */
function reply(answer: KeeperMessage): void {
  try {
    writeSync(REPLY_FD, `${JSON.stringify(answer)}\n`);
    closeSync(REPLY_FD);
  } catch {
    // The next daemon finds the keeper by its record.
  }
}

function log(text: string): void {
  console.error(`${new Date().toISOString()} ${text}`);
}
