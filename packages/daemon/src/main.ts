/** Entry point of the daemon process, started by `amux up` and by every command that needs the daemon. */
import { readFileSync } from 'node:fs';
import { findStorageFailure, messageOf } from '@agent-mux/core';
import { runDaemon } from './run-daemon.ts';

const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const version =
  typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
const ending = new AbortController();
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => ending.abort());
// The terminal that started the daemon may close.
process.on('SIGHUP', () => {});
// Writing may fail on a full disk or a closed terminal.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
process.title = 'amux-daemon';
const port = process.env.AGENT_MUX_PORT;

try {
  await runDaemon({
    version,
    signal: ending.signal,
    ...(port === undefined || !/^\d+$/.test(port) ? {} : { settings: { port: Number(port) } }),
  });
} catch (error) {
  const failure = findStorageFailure(error);
  const text = failure ? `${failure.message}; ${failure.hint}` : messageOf(error);
  process.stderr.write(`${new Date().toISOString()} ${text}\n`);
  process.exitCode = 1;
}
