import { join } from 'node:path';
import type { EventBody, ResolvedRunOptions, SpawnArgs, StdioLive } from '@agent-mux/core';
import { ScriptAdapter } from './script-adapter.ts';

/** Output of `flood`. */
export const FLOOD = 20_000;

/** One process, many sessions: every message names its session. */
export const SERVICE = `
  const say = (id, body) => console.log(JSON.stringify({ id, ...body }));
  let open = 0;
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    let { id, hello, turn, bye } = JSON.parse(line);
    if (hello) { open++; say(id, { type: 'session_start', sessionId: id }); }
    if (bye) { open--; console.log(JSON.stringify({ type: 'title', title: 'left ' + id })); }
    if (turn === 'die') { console.error('last words'); process.exit(4); }
    if (turn === 'flood') { for (let i = 0; i < 20000; i++) say(id, { type: 'text_delta', delta: i + ' ', wide: 'x'.repeat(1500) }); }
    if (turn === 'limit') { console.error('limit reached'); return; }
    if (turn === 'strays') { say('never', { type: 'title', title: 'never' }); say('over', { type: 'title', title: 'over' }); }
    if (turn === 'silence') return;
    if (turn === 'chatter') { setInterval(() => say(id, { type: 'text_delta', delta: '.' }), 100); return; }
    if (turn === 'file') { say(id, { type: 'text_delta', delta: 'file ' + process.env.HELPER }); turn = ''; say(id, { type: 'turn_end', status: 'completed' }); }
    if (turn) { say(id, { type: 'text_delta', delta: turn + ' ' + process.pid + ' ' + open }); say(id, { type: 'turn_end', status: 'completed' }); }
  }).on('close', () => { if (process.env.STAY) setInterval(() => {}, 1000); });`;

interface State {
  id: string;
}
const say = (message: object) => [JSON.stringify(message)];
export const SHARED: StdioLive = {
  transport: 'stdio',
  waitForSession: true,
  codec: {
    open: (options, slot): State => ({ id: slot?.channel ?? options.runId }),
    handshake: (state: State) => say({ id: state.id, hello: true }),
    turn: (input, state: State) => say({ id: state.id, turn: input.text }),
    decode: (line) => {
      const { id: _id, wide: _wide, ...body } = JSON.parse(line) as EventBody & { id?: string; wide?: string };
      return { events: [body as EventBody] };
    },
    resolve: () => [],
    close: (state: State) => say({ id: state.id, bye: true }),
  },
  share: {
    key: (options) => options.model ?? 'one',
    channelOf: (state: State) => state.id,
    route: (line) => /^\{"id":"([^"]+)"/.exec(line)?.[1],
  },
};

export const pidIn = (text: string) => Number(text.split(' ')[1]);

/** The same with a helper file. */
export class WithFile extends ScriptAdapter {
  override buildSpawnArgs(options: ResolvedRunOptions): SpawnArgs {
    const env = { HELPER: join(options.scratchDir, 'helper.txt') };
    return { ...super.buildSpawnArgs(options), env, files: { 'helper.txt': 'for the agent' } };
  }
}
