/** Measures turns in an open conversation, direct or through the daemon. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { SessionEvent } from '@agent-mux/api';
import type { MeasuredAgent } from './agents.ts';
import { type BuiltDaemon, until } from './built-daemon.ts';

/** Milliseconds from the moment that the message is sent. */
export interface Turn {
  first: number;
  all: number;
  deltas: number;
}

export interface Talk {
  turn(prompt: string): Promise<Turn>;
  close(): Promise<void>;
}

/** Times the current turn. */
function watchTurns() {
  let current: { startedAt: number; first: number; deltas: number; done(turn: Turn): void; fail(error: Error): void };
  return {
    start(send: () => void): Promise<Turn> {
      const { promise, resolve, reject } = Promise.withResolvers<Turn>();
      current = { startedAt: performance.now(), first: 0, deltas: 0, done: resolve, fail: reject };
      send();
      return promise;
    },
    delta(): void {
      if (current.deltas === 0) current.first = performance.now() - current.startedAt;
      current.deltas += 1;
    },
    end(): void {
      const { startedAt, first, deltas } = current;
      current.done({ first, all: performance.now() - startedAt, deltas });
    },
    fail: (error: Error) => current?.fail(error),
  };
}

export function runDirect({ direct, env }: MeasuredAgent, cwd: string): Talk {
  const child = spawn(direct.command, direct.args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const turns = watchTurns();
  const write = (message: unknown) => child.stdin.write(`${JSON.stringify(message)}\n`);
  child.on('error', turns.fail);
  createInterface(child.stdout).on('line', (line) => {
    const message: Record<string, unknown> = JSON.parse(line);
    if (direct.isDelta(message)) turns.delta();
    else if (direct.isEnd(message)) turns.end();
  });
  for (const message of direct.handshake) write(message);
  return {
    turn: (prompt) => turns.start(() => write(direct.say(prompt))),
    close() {
      child.stdin.end();
      return closed;
    },
  };
}

/** The session is there when this resolves, and has had its first turn. */
export async function runThroughDaemon(
  { client }: BuiltDaemon,
  { agent, greeting }: MeasuredAgent,
  cwd: string,
): Promise<Talk & { keeperPid: number }> {
  const { id } = await client.sessions.create({ agent, cwd, prompt: greeting, options: { approvalMode: 'yolo' } });
  const { keeperPid, lastSeq } = await until(client, id, ({ activity, turns }) => activity === 'idle' && turns === 1);
  const turns = watchTurns();
  const leaving = new AbortController();
  const take = ({ type }: SessionEvent) => {
    if (type === 'text_delta') turns.delta();
    else if (type === 'turn_end') turns.end();
  };
  const reading = (async () => {
    const stream = client.sessions.followBatches(id, { after: lastSeq, signal: leaving.signal });
    for await (const batch of stream) for (const { value } of batch) take(value);
  })().catch(turns.fail);
  return {
    keeperPid: keeperPid ?? 0,
    turn: (text) => turns.start(() => void client.sessions.send(id, { text }).catch(turns.fail)),
    async close() {
      leaving.abort();
      await reading;
    },
  };
}
