import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { DaemonError } from '../daemon-error.ts';
import type { Api } from './api.ts';
import { addSafetyHeaders, safetyHeaders } from './headers.ts';
import { PROBLEM_TYPE, toProblem } from './problems.ts';

/** Lets programs with frequent requests keep their connection. */
const KEEP_ALIVE_MS = 30_000;
/** Time for running requests to finish when the daemon stops. */
const GRACE_MS = 2_000;

export interface RunningServer {
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Listens on the loopback address only. Port 0: any free port. */
export async function serve(api: Api, { port }: { port: number }): Promise<RunningServer> {
  const { app, limits, connections } = api;
  const listener = getRequestListener(app.fetch, { errorHandler: (error) => respondUnreadable(api, error) });
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Checked by the guard, with our own error message.
      requireHostHeader: false,
      noDelay: true,
    },
    (incoming, outgoing) => {
      // Event streams may be quiet for long and have no idle timeout.
      if (/\btext\/event-stream\b/i.test(incoming.headers.accept ?? '')) incoming.socket.setTimeout(0);
      else incoming.socket.setTimeout(limits.idleMs);
      void listener(incoming, outgoing);
    },
  );
  server.on('connection', connections.accept);
  server.setTimeout(limits.idleMs);
  server.on('clientError', refuseUnreadable);
  server.on('connect', (_, socket) =>
    endWith(socket, 405, new DaemonError('METHOD_NOT_ALLOWED', 'proxying is not supported')),
  );
  server.on('upgrade', (_, socket) =>
    endWith(socket, 400, new DaemonError('BAD_REQUEST', 'protocol upgrades are not supported')),
  );
  server.on('checkExpectation', (_, outgoing) => {
    const { headers, body } = writeProblem(417, new DaemonError('BAD_REQUEST', 'the expectation is not supported'));
    outgoing.writeHead(417, headers).end(body);
  });
  await listen(server, port);
  const { port: actualPort } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${actualPort}`, port: actualPort, close: () => close(server, api) };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function close(server: Server, api: Api): Promise<void> {
  api.endStreams();
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(timer);
}

/** For an invalid URL or a missing host. */
function respondUnreadable(api: Api, error: unknown): Response {
  const isClientError = error instanceof Error && error.name === 'RequestError';
  const response = api.respondToError(
    isClientError ? new DaemonError('BAD_REQUEST', 'the request cannot be parsed') : error,
  );
  addSafetyHeaders(response.headers);
  return response;
}

/** For malformed HTTP, oversized headers and timeouts. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_HEADER_OVERFLOW')
    endWith(socket, 431, new DaemonError('PAYLOAD_TOO_LARGE', 'the headers are too large'));
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    endWith(socket, 408, new DaemonError('BAD_REQUEST', 'the request timed out'));
  else endWith(socket, 400, new DaemonError('BAD_REQUEST', 'malformed HTTP request'));
}

function endWith(socket: Duplex, status: number, error: DaemonError): void {
  const { headers, body } = writeProblem(status, error);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}

/** For responses sent before the app receives a request. */
function writeProblem(status: number, error: DaemonError) {
  const body = JSON.stringify(toProblem(error, status));
  const length = Buffer.byteLength(body);
  const headers = {
    ...safetyHeaders(),
    'content-type': PROBLEM_TYPE,
    'content-length': `${length}`,
    connection: 'close',
  };
  return { headers, body };
}
