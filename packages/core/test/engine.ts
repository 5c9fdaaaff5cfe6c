import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AgentAdapter,
  type AgentEvent,
  type Client,
  type CoreClientOptions,
  createClient,
  type EventOf,
  type EventType,
  listProcessTree,
  type RunHandle,
  type RunOptions,
} from '@agent-mux/core';
import { FakeAdapter, type FakeAdapterOptions, type Step } from '@agent-mux/testkit';
import { afterAll } from 'vitest';
import { listProcesses } from '../src/process/process-table.ts';

export interface Engine {
  client: Client;
  adapter: AgentAdapter;
  run(options?: Partial<RunOptions>): RunHandle;
}

export interface Bench {
  /** A client with a fake agent that runs these steps. */
  fake(steps: readonly Step[], adapter?: Omit<FakeAdapterOptions, 'steps'>, client?: CoreClientOptions): Engine;
  /** The same with any adapter. */
  use(adapter: AgentAdapter, client?: CoreClientOptions): Engine;
  /** A new folder. */
  folder(): string;
}

/** Clients and folders for the tests of a file; all are removed afterwards. */
export function useBench(): Bench {
  const clients: Client[] = [];
  const folders: string[] = [];
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  const use: Bench['use'] = (adapter, options = {}) => {
    const client = createClient({ adapters: [adapter], runIndex: false, ...options });
    clients.push(client);
    return { client, adapter, run: (more) => client.run({ agent: adapter.agent, prompt: 'go', ...more }) };
  };
  return {
    use,
    fake: (steps, adapter, client) => use(new FakeAdapter({ steps, ...adapter }), client),
    folder: () => {
      const folder = mkdtempSync(join(tmpdir(), 'agent-mux-core-'));
      folders.push(folder);
      return folder;
    },
  };
}

export { event, live, sessionStart, text, turnEnd } from './steps.ts';

export async function eventsOf(source: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const each of source) events.push(each);
  return events;
}

export function typed<T extends EventType>(events: readonly AgentEvent[], type: T): EventOf<T>[] {
  return events.filter((each): each is AgentEvent & EventOf<T> => each.type === type);
}

/** Reports of the fake agent about itself. */
export function reports(events: readonly AgentEvent[], name: string): Record<string, unknown>[] {
  return typed(events, 'debug').flatMap(({ code, data }) => (code === `fake_${name}` && data ? [data] : []));
}

/** The next event of that type. */
export function next<T extends EventType>(handle: RunHandle, type: T): Promise<EventOf<T>> {
  return new Promise((resolve) => handle.once(type, resolve));
}

/** The next report of the fake agent of that name. */
export function nextReport(handle: RunHandle, name: string): Promise<Record<string, unknown>> {
  return new Promise((resolve) => {
    const look = (each: EventOf<'debug'>) => {
      if (each.code !== `fake_${name}` || !each.data) return;
      handle.off('debug', look);
      resolve(each.data);
    };
    handle.on('debug', look);
  });
}

/** Polls until it is true; the timeout of the test is the limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Resolves once the number has not changed for a while. */
export async function steady(value: () => number, forMs = 300): Promise<number> {
  for (let last = value(), since = performance.now(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (value() !== last) [last, since] = [value(), performance.now()];
    else if (performance.now() - since > forMs) return last;
  }
}

/** A zombie, which only waits for its parent, is not alive. */
export function isAlive(pid: unknown): boolean {
  return listProcessTree(Number(pid), 'no-such-mark').some((member) => member.pid === pid);
}

/** No process that was started for this run is alive. */
export function nothingLeftOf(handle: RunHandle): boolean {
  return listProcessTree(-1, handle.runId).length === 0;
}

/** Living processes started by this one; except the reaper, which lives as long as this process. */
export function livingChildren(): number[] {
  return listProcesses().flatMap(({ pid, parent }) => (parent === process.pid && !isReaper(pid) ? [pid] : []));
}

export function isReaper(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.includes('agent-mux-reaper');
}
