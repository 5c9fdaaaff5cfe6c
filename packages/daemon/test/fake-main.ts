/**
 * Fake daemon for tests of start and stop: acquires the lock or exits, writes token and record, answers /health, exits
 * on /shutdown. Its arguments select other behavior.
 */
import { appendFileSync, chmodSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { identityOf } from '@agent-mux/core/light';
import { resolveDaemonPaths } from '../src/paths.ts';

const paths = resolveDaemonPaths();
const [how = 'well', detail = ''] = process.argv.slice(2);
const lock = join(paths.root, 'lock');
appendFileSync(join(paths.root, 'starts'), `${process.pid}\n`);

if (how === 'fail') {
  process.stderr.write(`${detail}\n`);
  process.exit(3);
}
try {
  openSync(lock, 'wx');
} catch {
  // Another process was faster.
  process.exit(0);
}

const token = `token-of-${process.pid}`;
writeFileSync(paths.token, `${token}\n`, { mode: 0o600 });
chmodSync(paths.token, 0o600);
const server = createServer((request, response) => {
  if (how === 'mute') {
    request.socket.destroy();
    return;
  }
  if (request.headers.authorization !== `Bearer ${token}`) {
    response.writeHead(401).end();
    return;
  }
  response.setHeader('content-type', 'application/json');
  if (request.url === '/api/v1/health') response.end(JSON.stringify({ status: 'ok', pid: process.pid }));
  else if (request.url === '/api/v1/shutdown') {
    response.writeHead(202).end();
    leave();
  } else response.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const { pid, startTime } = identityOf(process.pid) ?? { pid: process.pid, startTime: '' };
  const record = { schema: 'agent-mux.daemon/1', pid, startTime, version: '0.0.0-test', startedAt: Date.now() };
  writeFileSync(paths.record, JSON.stringify({ ...record, url: `http://127.0.0.1:${port}` }), { mode: 0o600 });
  // Read by the test of inherited run variables.
  writeFileSync(join(paths.root, 'environment'), JSON.stringify(process.env));
});

function leave(): void {
  rmSync(paths.record, { force: true });
  rmSync(lock, { force: true });
  process.exit(0);
}
