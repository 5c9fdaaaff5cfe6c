/**
 * Stands in for the daemon where only its start and end matter: takes the lock or leaves, writes token and record, answers
 * /health, ends by /shutdown. Told what to do otherwise by its arguments.
 */
import { appendFileSync, chmodSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { identityOf } from '@agent-mux/core/light';
import { findPlaces } from '../src/places.ts';

const places = findPlaces();
const [how = 'well', detail = ''] = process.argv.slice(2);
const lock = join(places.root, 'lock');
appendFileSync(join(places.root, 'starts'), `${process.pid}\n`);

if (how === 'fail') {
  process.stderr.write(`${detail}\n`);
  process.exit(3);
}
try {
  openSync(lock, 'wx');
} catch {
  // Another one was faster.
  process.exit(0);
}

const token = `token-of-${process.pid}`;
writeFileSync(places.token, `${token}\n`, { mode: 0o600 });
chmodSync(places.token, 0o600);
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
  const told = { schema: 'agent-mux.daemon/1', pid, startTime, version: '0.0.0-test', startedAt: Date.now() };
  writeFileSync(places.record, JSON.stringify({ ...told, url: `http://127.0.0.1:${port}` }), { mode: 0o600 });
  // Kept for the test of what a run's mark would do.
  writeFileSync(join(places.root, 'environment'), JSON.stringify(process.env));
});

function leave(): void {
  rmSync(places.record, { force: true });
  rmSync(lock, { force: true });
  process.exit(0);
}
