// A keeper of protocol version 1, as seen by a daemon: it refuses any other hello, reports no marks, and continues the
// running
// turn. Usage: old-keeper.mjs SESSION_FOLDER PROTOCOL
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder, version] = process.argv.slice(2);
const protocol = Number(version);
const sessionId = basename(folder);
const segment = join(folder, 'journal', readdirSync(join(folder, 'journal')).at(-1));
const lines = readFileSync(segment, 'utf8').trim().split('\n');
const last = JSON.parse(lines.at(-1));
const { agent, runId } = last;
let seq = last.seq;
const add = (event) => {
  seq += 1;
  const line = JSON.stringify({ ...event, agent, runId, turnIndex: 0, seq, timestamp: Date.now() });
  appendFileSync(segment, `${line}\n`);
  lines.push(line);
};
add({ type: 'text_delta', delta: ' from an old keeper' });

const socket = join(folder, 'old.sock');
createServer((connection) => {
  const say = (message) => connection.write(`${JSON.stringify(message)}\n`);
  const push = (after) => {
    const rest = lines.filter((line) => JSON.parse(line).seq > after);
    if (rest.length > 0) say({ type: 'events', sessionId, from: JSON.parse(rest[0]).seq, lines: rest });
  };
  createInterface({ input: connection }).on('line', (text) => {
    const request = JSON.parse(text);
    if (request.type === 'hello' && request.protocol !== protocol)
      say({ type: 'reply', id: request.id, ok: false, error: { code: 'PROTOCOL', message: 'unknown version' } });
    else if (request.type === 'hello') {
      const held = { sessionId, launch: 1, runId, lastSeq: seq, accepted: [], phase: 'turn', pending: [] };
      say({
        type: 'reply',
        id: request.id,
        ok: true,
        value: { protocol, version: '0', pid: process.pid, sessions: [held] },
      });
      push(request.after[sessionId] ?? -1);
    } else if (request.type === 'interrupt') {
      const before = seq;
      add({ type: 'turn_end', status: 'interrupted' });
      say({ type: 'reply', id: request.id, ok: true });
      push(before);
    } else if (request.type !== 'ack') say({ type: 'reply', id: request.id, ok: true });
  });
}).listen(socket, () => {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  const record = {
    schema: 'agent-mux.keeper/1',
    protocol,
    version: '0',
    pid: process.pid,
    startTime,
    socket,
    group: null,
  };
  writeFileSync(join(folder, 'keeper.json'), JSON.stringify(record), { mode: 0o600 });
});
